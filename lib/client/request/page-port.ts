/// <reference lib="webworker" />
import './zod-without-eval.ts';
import { defectOf, type WorkerFailure, type WorkerSignal, workerFailureOf } from './worker-failure.ts';

/**
 * A worker's side of `PageWorker`. Workers import it first: a module that fails after it would otherwise fail without
 * a word, as its promise rejects in the worker alone.
 */
const page = self as unknown as DedicatedWorkerGlobalScope;
let isServing = false;

function signal(message: WorkerSignal): void {
  page.postMessage(message);
}

page.addEventListener('unhandledrejection', ({ reason }) =>
  signal({ kind: isServing ? 'odd' : 'died', defect: defectOf(reason) }),
);
page.addEventListener('messageerror', () => signal({ kind: 'died', defect: defectOf('a request could not be read') }));

export interface PortRequest<Reply> {
  readonly id: number;
  readonly signal: AbortSignal;
  readonly reply: (message: Reply, transfer?: Transferable[]) => void;
}

interface Message {
  readonly kind?: 'abort' | 'ping' | (string & {});
  readonly id: number;
}

/** @param answer rejects with a LookoutRequestError if the network fails, and with any other error if the page does */
export function servePage<Request extends object, Reply extends { readonly id: number }>(
  answer: (request: Request, asked: PortRequest<Reply | WorkerFailure>) => Promise<void>,
): void {
  const inFlight = new Map<number, AbortController>();
  page.onmessage = ({ data: message }: MessageEvent<Message>) => {
    if (message.kind === 'ping') signal({ kind: 'alive' });
    else if (message.kind === 'abort') inFlight.get(message.id)?.abort();
    // It answers its failures itself.
    else void serve(message.id, message as unknown as Request);
  };
  isServing = true;

  async function serve(id: number, request: Request): Promise<void> {
    const abort = new AbortController();
    inFlight.set(id, abort);
    const reply = (message: Reply | WorkerFailure, transfer: Transferable[] = []) =>
      page.postMessage(message, transfer);
    try {
      await answer(request, { id, signal: abort.signal, reply });
    } catch (error) {
      if (!abort.signal.aborted) reply(workerFailureOf(id, error));
    } finally {
      inFlight.delete(id);
    }
  }
}
