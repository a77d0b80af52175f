/** A worker of the page. One that fails, or whose code does not arrive, is given up: the next request starts another one. */
export class PageWorker<Request, Reply> {
  readonly #start: () => Worker;
  readonly #onReply: (reply: Reply) => void;
  readonly #onFailure: (message: string) => void;
  #worker: Worker | undefined;

  /**
   * @param start creates the worker
   * @param onFailure nothing that was requested before is answered any more
   */
  constructor(start: () => Worker, onReply: (reply: Reply) => void, onFailure: (message: string) => void) {
    this.#start = start;
    this.#onReply = onReply;
    this.#onFailure = onFailure;
  }

  /** Starts it ahead of the first request. */
  prepare(): void {
    this.#started();
  }

  post(request: Request): void {
    this.#started().postMessage(request);
  }

  /** Takes back a request: a worker that has gone does not know of it any more. */
  cancel(request: Request): void {
    this.#worker?.postMessage(request);
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = this.#start();
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#onReply(data);
    // Code that did not arrive is announced without a message.
    worker.onerror = ({ message = 'the code of a worker did not arrive' }: Partial<ErrorEvent>) => {
      if (this.#worker !== worker) return;
      this.close();
      this.#onFailure(message);
    };
    this.#worker = worker;
    return worker;
  }
}
