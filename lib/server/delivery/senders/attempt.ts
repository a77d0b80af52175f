import 'server-only';
import { unlessAborted } from '#lib/async/wait.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { connectionProblem } from './connection-problem.ts';
import { SendFailure } from './sender.ts';

const SENDS_WITHIN_MS = 10 * SECOND_MS;

/** Ends `send` after 10 s. @throws SendFailure for every error */
export async function attempt(
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<void>,
  withinMs = SENDS_WITHIN_MS,
): Promise<void> {
  const ending = new AbortController();
  const abort = () => ending.abort();
  // Not AbortSignal.timeout: those of ended sends would stay.
  const timer = setTimeout(abort, withinMs).unref();
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    await unlessAborted(send(ending.signal), ending.signal);
  } catch (error) {
    if (error instanceof SendFailure) throw error;
    if (signal.aborted) throw new SendFailure('retry', 'Lookout interrupted it.');
    if (ending.signal.aborted) throw new SendFailure('retry', `It did not answer within ${withinMs / SECOND_MS} s.`);
    throw new SendFailure('retry', connectionProblem(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
