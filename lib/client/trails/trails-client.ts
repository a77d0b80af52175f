import { PageWorker } from '../request/page-worker.ts';
import type { LoadedTrails, TrailsReply, TrailsRequest } from './trails-protocol.ts';

interface Waiting {
  readonly resolve: (trails: LoadedTrails) => void;
  readonly reject: (error: Error) => void;
}

/** Requests `/api/trails` through a worker. */
export class TrailsClient {
  readonly #worker = new PageWorker<TrailsRequest, TrailsReply>(
    () => new Worker(new URL('./trails-worker.ts', import.meta.url), { type: 'module', name: 'trails' }),
    (reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if (reply.kind === 'trails') waiting?.resolve(reply.trails);
      else waiting?.reject(new Error(reply.message));
    },
    (message) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(message));
      this.#waiting.clear();
    },
  );
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor() {
    this.#worker.prepare();
  }

  /** @throws Error if the request failed */
  load(query: URLSearchParams): Promise<LoadedTrails> {
    const id = ++this.#lastId;
    const address = new URL(`/api/trails?${query}`, window.location.href).href;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.post({ id, address });
    });
  }

  close(): void {
    this.#worker.close();
  }
}
