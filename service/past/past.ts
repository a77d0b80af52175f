import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Observation, PastObservations } from '../sources/observation.ts';

export interface Past {
  /** Returns at once and never throws. Observations are answered once written. */
  append(observations: readonly Observation[]): void;
  flush(): Promise<void>;
  /** Answers as `Source.history`, sorted by time, then by track key. The box does not cross 180°. */
  history(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<PastObservations>;
  /** The times of what `history` returns for the same arguments. */
  historyTimes(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<UpstreamInstant[]>;
  /** The time of the oldest observation, undefined if there is none. */
  oldestAt(): UpstreamInstant | undefined;
  /** The time since which answers are complete. Undefined while nothing was deleted. */
  keptSince(): UpstreamInstant | undefined;
  state(): PastState;
  /** Ends the recording: later observations are dropped. */
  close(): Promise<void>;
}

export interface PastState {
  /** Undefined while observations are stored. */
  readonly problem: PastProblem | undefined;
  readonly oldestAt: UpstreamInstant | undefined;
  /** The size of the past, with what is not sealed. */
  readonly bytes: number;
  readonly segments: number;
  /** Segments found damaged since the start. */
  readonly damagedSegments: number;
  /** Data beyond the retention that is not deleted without a confirmation. */
  readonly overdue: OverduePast | undefined;
  readonly dropped: Readonly<Record<DropCause, number>>;
}

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
  readonly message: string;
}
