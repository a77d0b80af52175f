import type { EndLine, ProgressLine, QueuedLine } from '#lib/api/history-line.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Window } from '#lib/time/window.ts';
import { PageWorker } from '../../request/page-worker.ts';
import { errorOfFailure, type WorkerRequestError } from '../../request/worker-failure.ts';
import type { ObservationColumns } from '../store/observation-columns.ts';
import type { HistoryLoad, HistoryReply } from './history-protocol.ts';

export interface LoadListener {
  part(layer: Layer, span: Window, records: ObservationColumns, unreadable: number): void;
  queued(line: QueuedLine): void;
  progress(line: ProgressLine): void;
  done(line: EndLine): void;
  failed(error: WorkerRequestError): void;
}

export class ReplayLoader {
  /** Started when a replay is first opened: most visits stay live. */
  readonly #worker = new PageWorker<HistoryLoad, HistoryReply>(
    () => new Worker(new URL('./history-worker.ts', import.meta.url), { type: 'module', name: 'history' }),
  );
  #loading: number | undefined;

  prepare(): void {
    this.#worker.prepare();
  }

  /** Ends the previous load; an ended or aborted one sends no further events. */
  load(query: URLSearchParams, listener: LoadListener, signal: AbortSignal): void {
    if (this.#loading !== undefined) this.#worker.cancel(this.#loading);
    const address = new URL(`/api/history?${query}`, window.location.href).href;
    const id = this.#worker.send({ kind: 'load', address }, (reply) => {
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
          this.#worker.forget(id);
          listener.done(reply.line);
          break;
        case 'failed':
          this.#worker.forget(id);
          listener.failed(errorOfFailure(reply));
      }
    });
    this.#loading = id;
    signal.addEventListener('abort', () => this.#worker.cancel(id), { once: true });
  }

  close(): void {
    this.#worker.close();
  }
}
