import type { EndLine, ProgressLine } from '#lib/api/history-line.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Window } from '#lib/time/window.ts';
import type { ObservationColumns } from '../store/observation-columns.ts';
import type { HistoryNews, HistoryRequest } from './history-protocol.ts';

export type LoadFailure = { readonly kind: 'signed-out' } | { readonly kind: 'failed'; readonly message: string };

/** Hears of a load, in the order in which things come. */
export interface LoadListener {
  /** @param unreadable records that broke the contract and were left out */
  part(layer: Layer, span: Window, records: ObservationColumns, unreadable: number): void;
  progress(line: ProgressLine): void;
  done(line: EndLine): void;
  failed(why: LoadFailure): void;
}

/** Loads the past through a worker, one window at a time. */
export class ReplayLoader {
  /** Made when the past is first entered: most visits stay live. */
  #worker: Worker | undefined;
  #lastId = 0;
  #listener: LoadListener | undefined;

  /** Starts the worker, so that a load finds it ready. */
  prepare(): void {
    this.#worker ??= this.#startWorker();
  }

  /** Begins a load; the one before ends. Nothing more is heard of a load that has ended, or whose signal is aborted. */
  load(query: URLSearchParams, listener: LoadListener, signal: AbortSignal): void {
    this.#stop(this.#lastId);
    const id = ++this.#lastId;
    this.#listener = listener;
    const address = new URL(`/api/history?${query}`, window.location.href).href;
    this.#post({ kind: 'load', id, address });
    signal.addEventListener('abort', () => this.#stop(id), { once: true });
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #stop(id: number): void {
    if (id !== this.#lastId || !this.#listener) return;
    this.#post({ kind: 'abort', id });
    this.#listener = undefined;
  }

  #post(request: HistoryRequest): void {
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage(request);
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./history-worker.ts', import.meta.url), { type: 'module', name: 'history' });
    worker.onmessage = ({ data: news }: MessageEvent<HistoryNews>) => this.#hear(news);
    worker.onerror = (event) => this.#listener?.failed({ kind: 'failed', message: event.message });
    return worker;
  }

  #hear(news: HistoryNews): void {
    const listener = this.#listener;
    if (news.id !== this.#lastId || !listener) return;
    switch (news.kind) {
      case 'part':
        listener.part(news.layer, news.span, news.records, news.unreadable);
        break;
      case 'progress':
        listener.progress(news.line);
        break;
      case 'done':
        this.#listener = undefined;
        listener.done(news.line);
        break;
      case 'signed-out':
      case 'failed':
        this.#listener = undefined;
        listener.failed(news);
    }
  }
}
