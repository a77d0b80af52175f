import 'server-only';
import { Worker } from 'node:worker_threads';
import { type SlimBody, type SlimTerms, slimBody } from './slim-body.ts';

/** 32 MiB of positions take about 1 s on two busy cores: far longer means a hostile body. */
const PARSE_MAX_MS = 5000;

/** As text, so that a build needs no extra file for it. */
const SOURCE = `
const { parentPort } = require('node:worker_threads');
const slimBody = ${slimBody.toString()};
parentPort.on('message', ({ body, terms }) => parentPort.postMessage(slimBody(body, terms)));
`;

/** One body after the other. */
export class BodyWorker {
  #worker: Worker | undefined;
  #latest: Promise<unknown> = Promise.resolve();

  /** @param body is empty afterwards: its memory goes to the thread */
  slim(body: Buffer<ArrayBuffer>, terms: SlimTerms): Promise<SlimBody> {
    const slim = this.#latest.then(() => this.#run(body, terms));
    this.#latest = slim;
    return slim;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #run(body: Buffer<ArrayBuffer>, terms: SlimTerms): Promise<SlimBody> {
    const worker = this.#started();
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    return new Promise((resolve) => {
      const end = (slim: SlimBody) => {
        clearTimeout(timer);
        worker.off('message', end).off('error', giveUp).off('exit', giveUp);
        resolve(slim);
      };
      const giveUp = () => {
        this.#worker = undefined;
        void worker.terminate();
        end({ kind: 'too-large' });
      };
      const timer = setTimeout(giveUp, PARSE_MAX_MS);
      worker.once('message', end).once('error', giveUp).once('exit', giveUp);
      worker.postMessage({ body: bytes, terms }, [bytes.buffer]);
    });
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(SOURCE, { eval: true });
    worker.on('error', () => undefined);
    worker.unref();
    this.#worker = worker;
    return worker;
  }
}
