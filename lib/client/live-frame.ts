import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { LayerState } from '#lib/api/layer-state.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';

export const FLAG_SIMULATED = 1;
export const FLAG_TEST = 2;
export const FLAG_DRONE = 4;

/**
 * Records of one answer as columns: they cross from the worker to the page without being copied. NaN is "not reported".
 * `labels` holds each distinct text once; `confidence` and `emergency` are indexes into it, 0 where not reported.
 */
export interface RecordColumns {
  readonly count: number;
  readonly refs: readonly string[];
  readonly labels: readonly (string | undefined)[];
  readonly flags: Uint8Array;
  readonly confidence: Uint16Array;
  readonly emergency: Uint16Array;
  readonly observedAtMs: Float64Array;
  readonly staleAfterMs: Float64Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly altitudeM: Float64Array;
  readonly heightAglM: Float64Array;
  readonly speedMps: Float64Array;
  readonly headingDeg: Float64Array;
  readonly confidenceScore: Float64Array;
  readonly receiverCount: Float64Array;
}

export interface LayerFrame {
  readonly state: LayerState;
  readonly reason: LiveReason | undefined;
  readonly fetchedAtMs: number | undefined;
  readonly failingSinceMs: number | undefined;
  readonly untilMs: number | undefined;
  readonly partial: boolean;
  /** Which parts of what is covered are not complete, and why. */
  readonly gaps: readonly { readonly bbox: Bbox; readonly reason: LiveReason }[];
  readonly unreadable: number;
  /** New and changed records, an area each; those that are not named are as they were. */
  readonly records: readonly RecordColumns[];
}

/** One answer of `/api/live`, read and checked. Times are milliseconds of the epoch on the upstream's clock. */
export interface LiveFrame {
  readonly asOfMs: number;
  /** Half the round trip: how old the answer was when it came. */
  readonly delayMs: number;
  readonly nextPollMs: number;
  readonly asked: Bbox;
  readonly covered: readonly Bbox[];
  readonly capped: boolean;
  readonly layers: Partial<Readonly<Record<Layer, LayerFrame>>>;
}
