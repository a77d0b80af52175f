import { type Bbox, formatBbox, formatLonLat } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { Layer } from '#lib/model/position.ts';
import { randomId } from '../browser/random-id.ts';
import { PageWorker } from '../request/page-worker.ts';
import { errorOfFailure, type WorkerFailure } from '../request/worker-failure.ts';
import type { LiveFrame } from './compact-reader.ts';
import { FirstRequest, type LiveQuery, type SentAnswer } from './first-request.ts';

export interface AskedView {
  readonly bbox: Bbox;
  readonly centre: LonLat;
  readonly home?: Bbox | undefined;
}

/** A request of the page to its worker. */
export interface LiveFetch {
  readonly address: string;
  readonly query: LiveQuery;
  /** Makes the server drop this page's previous view. */
  readonly page: string;
  /** Id of the frame that the next one may build on. */
  readonly acknowledged: number | undefined;
  /** The answer, if the page has it already. */
  readonly sent: SentAnswer | undefined;
}

export type LiveReply = { readonly kind: 'frame'; readonly id: number; readonly frame: LiveFrame } | WorkerFailure;

/** Requests live frames through a worker, which decodes them and keeps what the next answer builds on. */
export class LiveClient {
  readonly #worker = new PageWorker<LiveFetch, LiveReply>(
    () => new Worker(new URL('./live-worker.ts', import.meta.url), { type: 'module', name: 'live' }),
  );
  /** The request that left with the page. */
  readonly first: FirstRequest | undefined;
  readonly #page: string;
  #acknowledged: { readonly id: number; readonly generation: number } | undefined;

  constructor(first?: FirstRequest) {
    this.first = first;
    this.#page = first?.page ?? randomId();
    this.#worker.prepare();
  }

  /** The frame was applied to the store: the next one may contain only changes since. */
  acknowledge(id: number, generation: number): void {
    this.#acknowledged = { id, generation };
  }

  /**
   * The first answer may be of the request that left with the page.
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
    const query = {
      bbox: formatBbox(view.bbox),
      centre: formatLonLat(view.centre),
      home: view.home && formatBbox(view.home),
      layers: layers.join(','),
    };
    const sent = await this.first?.take(query, signal);
    signal.throwIfAborted();
    const reply = await this.#worker.request(
      {
        address: new URL('/api/live', window.location.href).href,
        query,
        page: this.#page,
        acknowledged: this.#acknowledged?.generation === generation ? this.#acknowledged.id : undefined,
        sent,
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

let prepared: LiveClient | undefined;

/** Starts the worker of a page that has sent its first request already. */
export function prepareLiveClient(): void {
  const first = FirstRequest.open(window, performance.now());
  if (first) prepared = new LiveClient(first);
}

/** The prepared client, if the page has not opened it yet. */
export function preparedLiveClient(): LiveClient | undefined {
  return prepared;
}

export function openLiveClient(): LiveClient {
  const client = prepared ?? new LiveClient();
  prepared = undefined;
  return client;
}
