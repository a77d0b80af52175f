/** The worker's last answer to a failed request, or the page's if the worker itself failed. */
export interface WorkerFailure {
  readonly kind: 'failed';
  readonly id: number;
  readonly message: string;
}

/** After a failure every pending request fails, and the next one starts another worker. */
export class PageWorker<Request extends object, Reply extends { readonly id: number }> {
  readonly #start: () => Worker;
  readonly #listeners = new Map<number, (reply: Reply | WorkerFailure) => void>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(start: () => Worker) {
    this.#start = start;
  }

  prepare(): void {
    this.#started();
  }

  /**
   * @param onReply called with each reply until `forget` or `cancel`
   * @returns the number of the request
   */
  send(request: Request, onReply: (reply: Reply | WorkerFailure) => void): number {
    const id = ++this.#lastId;
    this.#listeners.set(id, onReply);
    this.#started().postMessage({ ...request, id });
    return id;
  }

  request(request: Request, signal?: AbortSignal): Promise<Reply | WorkerFailure> {
    return new Promise((resolve, reject) => {
      const id = this.send(request, (reply) => {
        this.forget(id);
        resolve(reply);
      });
      signal?.addEventListener('abort', () => {
        this.cancel(id);
        reject(signal.reason);
      });
    });
  }

  forget(id: number): void {
    this.#listeners.delete(id);
  }

  cancel(id: number): void {
    if (this.#listeners.delete(id)) this.#worker?.postMessage({ kind: 'abort', id });
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = this.#start();
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#listeners.get(data.id)?.(data);
    // Code that did not arrive raises an error without a message.
    worker.onerror = ({ message = 'the code of a worker did not arrive' }: Partial<ErrorEvent>) => {
      if (this.#worker !== worker) return;
      this.close();
      for (const [id, onReply] of this.#listeners) onReply({ kind: 'failed', id, message });
      this.#listeners.clear();
    };
    this.#worker = worker;
    return worker;
  }
}
