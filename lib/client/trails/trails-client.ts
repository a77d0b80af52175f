import { PageWorker } from '../request/page-worker.ts';
import { errorOfFailure } from '../request/worker-failure.ts';
import type { LoadedTrails, TrailsFetch, TrailsReply } from './trails-protocol.ts';

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
