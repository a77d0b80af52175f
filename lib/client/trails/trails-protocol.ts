import type { TrailsHead } from '#lib/api/trails-answer.ts';
import type { Layer } from '#lib/model/position.ts';
import type { WorkerFailure } from '../request/page-worker.ts';

/** Places of tracks, each track's in order of time, as the map draws them. */
export interface TrailPlaces {
  /** Distinct. */
  readonly refs: readonly string[];
  /** Index of each track's first place, and at the end the number of all. */
  readonly starts: Uint32Array;
  /** Epoch milliseconds. */
  readonly atMs: Float64Array;
  readonly mercatorX: Float64Array;
  readonly mercatorY: Float64Array;
  /** The value behind the mark's colour: altitude, or a drone's height above ground; NaN if not reported. */
  readonly metres: Float64Array;
}

/** An answer of `/api/trails`. */
export interface LoadedTrails {
  readonly head: TrailsHead;
  readonly layers: Partial<Readonly<Record<Layer, TrailPlaces>>>;
}

/** From the page to the worker. */
export interface TrailsFetch {
  /** `/api/trails` with its query, absolute. */
  readonly address: string;
}
export type TrailsRequest = TrailsFetch & { readonly id: number };

/** From the worker to the page, one for each request. */
export type TrailsReply =
  | { readonly kind: 'trails'; readonly id: number; readonly trails: LoadedTrails }
  | WorkerFailure;
