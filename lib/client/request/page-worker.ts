import { backOffMs } from '#lib/async/back-off.ts';
import { reportPageError } from '../page-errors/page-errors.ts';
import type { WorkerDefect, WorkerFailure, WorkerSignal } from './worker-failure.ts';

/** A worker that stops at once is not started over and over. */
const RESTART = { firstMs: 1000, maxMs: 60_000 };
/** Browsers end a worker without a word where memory is short. */
const PING_EVERY_MS = 10_000;
const PINGS_MAX = 3;

/**
 * Runs one worker for the page. Every request gets a last reply: if the worker fails, pending requests fail as
 * `stopped` or `not-loaded`, and another worker is started. Its own errors are reported to the server.
 */
export class PageWorker<Request extends object, Reply extends { readonly id: number }> {
  readonly #start: () => Worker;
  readonly #listeners = new Map<number, (reply: Reply | WorkerFailure) => void>();
  /** Requests that are sent once the next worker is started. */
  #waiting: (Request & { readonly id: number })[] = [];
  #worker: Worker | undefined;
  #lastId = 0;
  /** Failures since the last reply. */
  #failures = 0;
  #restart: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;
  #unanswered = 0;

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
    this.#watchOver();
    const message = { ...request, id };
    const worker = this.#started();
    if (worker) worker.postMessage(message);
    else this.#waiting.push(message);
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
    if (this.#listeners.size === 0) this.#unwatch();
  }

  cancel(id: number): void {
    if (!this.#listeners.has(id)) return;
    this.forget(id);
    this.#waiting = this.#waiting.filter((message) => message.id !== id);
    this.#worker?.postMessage({ kind: 'abort', id });
  }

  close(): void {
    this.#end();
    clearTimeout(this.#restart);
    this.#restart = undefined;
    this.#waiting = [];
    this.#listeners.clear();
    this.#unwatch();
  }

  /** `undefined` while the page waits before it starts another one. */
  #started(): Worker | undefined {
    if (this.#worker || this.#restart !== undefined) return this.#worker;
    let worker: Worker;
    try {
      worker = this.#start();
    } catch (error) {
      // The listener of the request that starts it is called later, as for every other failure.
      queueMicrotask(() => this.#fail('not-loaded', { message: String(error), stack: undefined }));
      return undefined;
    }
    this.#worker = worker;
    const ifCurrent = (run: () => void) => this.#worker === worker && run();
    worker.onmessage = ({ data }: MessageEvent<Reply | WorkerFailure | WorkerSignal>) => {
      if (this.#worker !== worker) return;
      this.#unanswered = 0;
      if ('id' in data) {
        this.#failures = 0;
        if ('defect' in data && data.defect) reportPageError('answer', data.defect);
        this.#listeners.get(data.id)?.(data);
      } else if (data.kind === 'died') this.#fail('stopped', data.defect);
      else if (data.kind === 'odd') reportPageError('worker', data.defect);
    };
    worker.onerror = (event: Partial<ErrorEvent>) =>
      ifCurrent(() => {
        const { message = '', filename = '', lineno = 0, colno = 0 } = event;
        // Code that does not arrive raises an error without a message, or of the function that requests it.
        const isMissing = message === '' || /importScripts|NetworkError|Importing a module script/.test(message);
        const at = `${filename}:${lineno}:${colno}`;
        this.#fail(isMissing ? 'not-loaded' : 'stopped', {
          message: message === '' ? 'the code of a worker did not load' : message,
          stack: at,
        });
      });
    worker.onmessageerror = () =>
      ifCurrent(() => this.#fail('stopped', { message: 'a reply could not be read', stack: undefined }));
    return worker;
  }

  #fail(why: 'stopped' | 'not-loaded', defect: WorkerDefect): void {
    reportPageError('worker', defect);
    this.#end();
    this.#failures++;
    this.#restart = setTimeout(
      () => {
        this.#restart = undefined;
        const waiting = this.#waiting;
        this.#waiting = [];
        const worker = this.#started();
        if (worker) for (const message of waiting) worker.postMessage(message);
        else this.#waiting = waiting;
      },
      backOffMs(this.#failures, RESTART),
    );
    const failed = [...this.#listeners];
    this.#listeners.clear();
    this.#waiting = [];
    this.#unwatch();
    for (const [id, onReply] of failed) onReply({ kind: 'failed', id, why });
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** Pings the worker while a reply is expected. */
  #watchOver(): void {
    this.#watch ??= setInterval(() => {
      if (!this.#worker) return;
      if (++this.#unanswered > PINGS_MAX)
        this.#fail('stopped', { message: 'a worker does not respond', stack: undefined });
      else this.#worker.postMessage({ kind: 'ping' });
    }, PING_EVERY_MS);
  }

  #unwatch(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#unanswered = 0;
  }
}
