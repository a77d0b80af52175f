import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { EndLine, ProgressLine, QueuedLine } from '#lib/api/history-line.ts';
import type { ObservationColumns } from '#lib/codec/record-columns.ts';
import type { Layer } from '#lib/model/position.ts';
import { epochMs, formatInstant, instantOf, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { nextTask } from '../../browser/page-timers.ts';
import { randomId } from '../../browser/random-id.ts';
import { PageWorker } from '../../request/page-worker.ts';
import { errorOfFailure, type WorkerFailure, type WorkerRequestError } from '../../request/worker-failure.ts';
import { requestHistoryCost } from '../replay-price.ts';

/** How a replay reaches Lookout's server. Loads are read and decoded in a worker, which transfers their parts. */
export interface ReplayTransport {
  /** @throws LookoutRequestError */
  cost(query: URLSearchParams, signal: AbortSignal): Promise<HistoryCost>;
  /** Ends the previous load. A load that was ended or aborted calls its listener no more. */
  load(query: URLSearchParams, listener: LoadListener, signal: AbortSignal): void;
  /** Loads outwards from another instant; no effect unless the load is running there. */
  seek(load: string, from: UpstreamInstant): void;
  yieldToMain(): Promise<void>;
}

/** `done` and `failed` are the last of a load. */
export interface LoadListener {
  part(layer: Layer, span: Window, records: ObservationColumns, unreadable: number): void;
  queued(line: QueuedLine): void;
  progress(line: ProgressLine): void;
  done(line: EndLine): void;
  failed(error: WorkerRequestError): void;
}

export interface HistoryLoad {
  readonly kind: 'load';
  readonly address: string;
}

export type HistoryRequest = HistoryLoad & { readonly id: number };

/** A reply from the worker; `done` and `failed` are the last of a load. */
export type HistoryReply =
  | {
      readonly kind: 'part';
      readonly id: number;
      readonly layer: Layer;
      readonly span: Window;
      readonly records: ObservationColumns;
      /** Records of the part that violated the contract and were dropped. */
      readonly unreadable: number;
    }
  | { readonly kind: 'queued'; readonly id: number; readonly line: QueuedLine }
  | { readonly kind: 'progress'; readonly id: number; readonly line: ProgressLine }
  | { readonly kind: 'done'; readonly id: number; readonly line: EndLine }
  | WorkerFailure;

/** @param onClock called with the upstream's time in an answer, and the answer's estimated age on arrival */
export function openReplayTransport(onClock: (asOf: UpstreamInstant, delayMs: number) => void): ReplayTransport {
  // The worker is started when a replay is first opened: most visits stay live.
  const worker = new PageWorker<HistoryLoad, HistoryReply>(
    () => new Worker(new URL('./history-worker.ts', import.meta.url), { type: 'module', name: 'history' }),
  );
  let loading: number | undefined;
  return {
    async cost(query, signal) {
      worker.prepare();
      const sentMs = performance.now();
      const cost = await requestHistoryCost(String(query), signal);
      onClock(instantOf(cost.as_of), (performance.now() - sentMs) / 2);
      return cost;
    },
    load(query, listener, signal) {
      if (loading !== undefined) worker.cancel(loading);
      const address = new URL(`/api/history?${query}`, window.location.href).href;
      const id = worker.send({ kind: 'load', address }, (reply) => {
        if (reply.kind === 'done' || reply.kind === 'failed') worker.forget(id);
        switch (reply.kind) {
          case 'part':
            return listener.part(reply.layer, reply.span, reply.records, reply.unreadable);
          case 'queued':
            return listener.queued(reply.line);
          case 'progress':
            return listener.progress(reply.line);
          case 'done':
            return listener.done(reply.line);
          case 'failed':
            return listener.failed(errorOfFailure(reply));
        }
      });
      loading = id;
      signal.addEventListener('abort', () => worker.cancel(id), { once: true });
    },
    seek: (load, from) => {
      // A seek only optimises the order, so failures are not reported.
      fetch('/api/history/seek', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ load, from: formatInstant(from) }),
      }).catch(() => undefined);
    },
    yieldToMain: nextTask,
  };
}

/** The beginning of the cursor's minute, so that operators with similar cursors load the same parts. */
export function loadedFrom(loaded: Window, cursor: UpstreamInstant): UpstreamInstant {
  const begins = upstreamInstant(Math.floor(epochMs(cursor) / MINUTE_MS) * MINUTE_MS);
  return begins > loaded.start ? begins : loaded.start;
}

/** A drag over the timeline requests only its end, once the cursor rests for this long. */
const REST_MS = 250;

/** The order of a load: outwards from the cursor, also after it has moved. */
export class LoadOrder {
  readonly #seek: (load: string, from: UpstreamInstant) => void;
  #load: string | undefined;
  #from: UpstreamInstant | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(seek: (load: string, from: UpstreamInstant) => void) {
    this.#seek = seek;
  }

  /** @returns the name of the load that begins now */
  begin(from: UpstreamInstant): string {
    this.end();
    this.#load = randomId();
    this.#from = from;
    return this.#load;
  }

  moved(from: UpstreamInstant): void {
    clearTimeout(this.#resting);
    const load = this.#load;
    if (load === undefined || from === this.#from) return;
    this.#resting = setTimeout(() => {
      this.#from = from;
      this.#seek(load, from);
    }, REST_MS);
  }

  end(): void {
    clearTimeout(this.#resting);
    this.#load = undefined;
  }
}
