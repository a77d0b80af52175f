import type { TrailsHead } from '#lib/api/trails-answer.ts';
import type { Layer } from '#lib/model/position.ts';
import { PageWorker } from '../request/page-worker.ts';
import { errorOfFailure, type WorkerFailure } from '../request/worker-failure.ts';

/** Each track's places in order of time, as the map draws them. */
export interface TrailPlaces {
  /** Each track is listed once. */
  readonly refs: readonly string[];
  /** Index of each track's first place; the extra last entry is the number of all. */
  readonly starts: Uint32Array;
  /** Epoch milliseconds of each point. */
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

/** Loads the trails of a place in a worker. */
export class TrailsClient {
  readonly #worker = new PageWorker<TrailsFetch, TrailsReply>(
    () => new Worker(new URL('./trails-worker.ts', import.meta.url), { type: 'module', name: 'trails' }),
  );

  constructor() {
    this.#worker.prepare();
  }

  /** @throws LookoutRequestError */
  async load(query: URLSearchParams): Promise<LoadedTrails> {
    const address = new URL(`/api/trails?${query}`, window.location.href).href;
    const reply = await this.#worker.request({ address });
    if (reply.kind === 'failed') throw errorOfFailure(reply);
    return reply.trails;
  }

  close(): void {
    this.#worker.close();
  }
}
