import type { TrailsHead } from '#lib/api/trails-answer.ts';
import type { Layer } from '#lib/model/position.ts';
import type { WorkerFailure } from '../request/worker-failure.ts';

/** Each track's places in order of time, as the map draws them. */
export interface TrailPlaces {
  /** Each track is listed once. */
  readonly refs: readonly string[];
  /** Index of each track's first place; the extra last entry is the number of all. */
  readonly starts: Uint32Array;
  /** Epoch milliseconds. */
  readonly atMs: Float64Array;
  readonly mercatorX: Float64Array;
  readonly mercatorY: Float64Array;
  /** The mark's altitude, or a drone's height above ground; NaN if not reported. */
  readonly metres: Float64Array;
}

export interface LoadedTrails {
  readonly head: TrailsHead;
  readonly layers: Partial<Readonly<Record<Layer, TrailPlaces>>>;
}

export interface TrailsFetch {
  readonly address: string;
}

export type TrailsReply =
  | { readonly kind: 'trails'; readonly id: number; readonly trails: LoadedTrails }
  | WorkerFailure;
