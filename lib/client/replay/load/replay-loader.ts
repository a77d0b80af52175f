import type { EndLine, ProgressLine, QueuedLine } from '#lib/api/history-line.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Window } from '#lib/time/window.ts';
import { PageWorker } from '../../request/page-worker.ts';
import type { ObservationColumns } from '../store/observation-columns.ts';
import type { HistoryReply, HistoryRequest } from './history-protocol.ts';

export type LoadFailure = { readonly kind: 'signed-out' } | { readonly kind: 'failed'; readonly message: string };

/** Receives the events of a load, in order. */
export interface LoadListener {
  /** @param unreadable number of records that violated the contract and were dropped */
  part(layer: Layer, span: Window, records: ObservationColumns, unreadable: number): void;
  /** It waits for other loads of the same operator. */
  queued(line: QueuedLine): void;
  progress(line: ProgressLine): void;
  done(line: EndLine): void;
  failed(why: LoadFailure): void;
}

/** Loads history through a worker, one window at a time. */
export class ReplayLoader {
  /** Started when a replay is first opened: most visits stay live. */
  readonly #worker = new PageWorker<HistoryRequest, HistoryReply>(
    () => new Worker(new URL('./history-worker.ts', import.meta.url), { type: 'module', name: 'history' }),
    (reply) => this.#onReply(reply),
    (message) => {
      const listener = this.#listener;
      this.#listener = undefined;
      listener?.failed({ kind: 'failed', message });
    },
  );
  #lastId = 0;
  #listener: LoadListener | undefined;

  /** Starts the worker ahead of the first load. */
  prepare(): void {
    this.#worker.prepare();
  }

  /** Starts a load and ends the previous one. A load that ended, or whose signal is aborted, sends no further events. */
  load(query: URLSearchParams, listener: LoadListener, signal: AbortSignal): void {
    this.#stop(this.#lastId);
    const id = ++this.#lastId;
    this.#listener = listener;
    const address = new URL(`/api/history?${query}`, window.location.href).href;
    this.#worker.post({ kind: 'load', id, address });
    signal.addEventListener('abort', () => this.#stop(id), { once: true });
  }

  close(): void {
    this.#worker.close();
  }

  #stop(id: number): void {
    if (id !== this.#lastId || !this.#listener) return;
    this.#worker.cancel({ kind: 'abort', id });
    this.#listener = undefined;
  }

  #onReply(reply: HistoryReply): void {
    const listener = this.#listener;
    if (reply.id !== this.#lastId || !listener) return;
    switch (reply.kind) {
      case 'part':
        listener.part(reply.layer, reply.span, reply.records, reply.unreadable);
        break;
      case 'queued':
        listener.queued(reply.line);
        break;
      case 'progress':
        listener.progress(reply.line);
        break;
      case 'done':
        this.#listener = undefined;
        listener.done(reply.line);
        break;
      case 'signed-out':
      case 'failed':
        this.#listener = undefined;
        listener.failed(reply);
    }
  }
}
