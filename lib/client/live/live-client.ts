import { type Bbox, formatBbox, formatLonLat } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { Layer } from '#lib/model/position.ts';
import { PageWorker } from '../request/page-worker.ts';
import { errorOfFailure, type WorkerFailure } from '../request/worker-failure.ts';
import type { LiveFrame } from './compact-reader.ts';

export interface AskedView {
  readonly bbox: Bbox;
  readonly centre: LonLat;
  readonly home?: Bbox | undefined;
}

/** A request of the page to its worker. */
export interface LiveFetch {
  readonly address: string;
  readonly bbox: string;
  readonly centre: string;
  readonly home: string | undefined;
  readonly layers: string;
  /** Id of the frame that the next one may build on. */
  readonly acknowledged: number | undefined;
}

export type LiveReply = { readonly kind: 'frame'; readonly id: number; readonly frame: LiveFrame } | WorkerFailure;

/** Requests live frames through a worker, which decodes them and keeps what the next answer builds on. */
export class LiveClient {
  readonly #worker = new PageWorker<LiveFetch, LiveReply>(
    () => new Worker(new URL('./live-worker.ts', import.meta.url), { type: 'module', name: 'live' }),
  );
  #acknowledged: { readonly id: number; readonly generation: number } | undefined;

  constructor() {
    this.#worker.prepare();
  }

  /** The frame was applied to the store: the next one may contain only changes since. */
  acknowledge(id: number, generation: number): void {
    this.#acknowledged = { id, generation };
  }

  /**
   * @param generation changes whenever the store has dropped received records
   * @throws LookoutRequestError, or the reason of `signal`
   */
  async fetch(
    view: AskedView,
    layers: readonly Layer[],
    generation: number,
    signal: AbortSignal,
  ): Promise<{ readonly id: number; readonly frame: LiveFrame }> {
    signal.throwIfAborted();
    const reply = await this.#worker.request(
      {
        address: new URL('/api/live', window.location.href).href,
        bbox: formatBbox(view.bbox),
        centre: formatLonLat(view.centre),
        home: view.home && formatBbox(view.home),
        layers: layers.join(','),
        acknowledged: this.#acknowledged?.generation === generation ? this.#acknowledged.id : undefined,
      },
      signal,
    );
    if (reply.kind === 'failed') throw errorOfFailure(reply);
    return reply;
  }

  close(): void {
    this.#worker.close();
  }
}
