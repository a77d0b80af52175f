import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Observation, PastObservations } from '../sources/observation.ts';

/** Observations, as far back as they are kept. */
export interface Past {
  /**
   * Takes observations that are final. It returns at once and never throws; what it can't store is counted in `state`. They
   * are answered once they are written.
   */
  append(observations: readonly Observation[]): void;
  /** Resolves when what was appended before is written, or dropped. */
  flush(): Promise<void>;
  /** See `Source.history`. The order is that of time, then of track key. A box that crosses 180° is not asked. */
  history(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<PastObservations>;
  /** The times of what `history` returns for the same arguments. */
  historyTimes(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<UpstreamInstant[]>;
  /** When the oldest observation that is kept was observed; undefined if there is none. */
  oldestAt(): UpstreamInstant | undefined;
  /**
   * Before this moment observations were deleted, because of their age or their number: a window that begins earlier has
   * no honest answer. Undefined while nothing was deleted.
   */
  keptSince(): UpstreamInstant | undefined;
  state(): PastState;
  /** Writes the appended observations and closes. Later ones are dropped. */
  close(): Promise<void>;
}

export interface PastState {
  /** Undefined while observations are stored. */
  readonly problem: PastProblem | undefined;
  readonly oldestAt: UpstreamInstant | undefined;
  /** Of segments, and of what is not sealed. */
  readonly bytes: number;
  readonly segments: number;
  /** Segments of which something was found unreadable since the start. */
  readonly damagedSegments: number;
  /** Observations beyond the retention that are not deleted without a confirmation. */
  readonly overdue: OverduePast | undefined;
  /** Observations since the start that are not stored, by cause. */
  readonly dropped: Readonly<Record<DropCause, number>>;
}

/** Observed from `since` until `before`, by the segments' times. */
export interface OverduePast {
  readonly since: UpstreamInstant;
  readonly before: UpstreamInstant;
}

/**
 * - `untimely`: of a period that is closed, or has not begun.
 * - `unstorable`: a value out of range, or an id that is no track key.
 * - `unwritten`: the disk was full, or failed.
 */
export type DropCause = 'untimely' | 'unstorable' | 'unwritten';

export interface PastProblem {
  readonly cause: 'disk_full' | 'disk_failed';
  readonly since: UpstreamInstant;
  /** The system's error message. */
  readonly message: string;
}
