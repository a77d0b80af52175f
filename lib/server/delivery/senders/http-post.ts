import 'server-only';
import { request } from 'undici';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Guard } from '../guard/guard.ts';
import { connectionProblem } from './connection-problem.ts';
import { SendFailure } from './sender.ts';

const ANSWER_MS = 10 * SECOND_MS;
/** The answer's body says nothing: it is read only to use the connection again. */
const BODY = { maxBytes: 16_384, ms: SECOND_MS } as const;
const BUSY: readonly number[] = [408, 425, 429, 502, 503, 504];

/** Follows no redirects. Resolves at a status of success. @throws SendFailure */
export async function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  { agent }: Pick<Guard, 'agent'>,
  signal: AbortSignal,
  answerMs = ANSWER_MS,
): Promise<void> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, answerMs).unref();
  signal.addEventListener('abort', abort);
  try {
    const sent = { method: 'POST', body, headers: { 'user-agent': 'Lookout', ...headers } } as const;
    const answer = await request(url, { ...sent, dispatcher: agent, signal: controller.signal });
    await ended(answer.body, controller);
    const failure = failureOf(answer.statusCode, answer.headers['retry-after']);
    if (failure) throw failure;
  } catch (error) {
    if (error instanceof SendFailure) throw error;
    const problem = controller.signal.aborted ? 'It did not answer in time.' : connectionProblem(error);
    throw new SendFailure('retry', problem);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Ends the connection of an answer that is large or slow. */
async function ended(
  body: AsyncIterable<Uint8Array> & { destroy(): unknown },
  controller: AbortController,
): Promise<void> {
  const timer = setTimeout(() => controller.abort(), BODY.ms).unref();
  let bytes = 0;
  try {
    for await (const { length } of body) {
      bytes += length;
      if (bytes > BODY.maxBytes) break;
    }
  } catch {
    // The status is known.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
}

function failureOf(status: number, retryAfter: string | string[] | undefined): SendFailure | undefined {
  if (status >= 200 && status < 300) return undefined;
  const said = `It answered with status ${status}.`;
  if (status === 410) return new SendFailure('gone', said);
  if (status >= 300 && status < 400)
    return new SendFailure('retry', `${said} Redirects are not followed: enter the address to which it redirects.`);
  const kind = BUSY.includes(status) ? 'retry' : status >= 500 ? 'failed' : 'refused';
  const seconds = /^\d{1,6}$/.test(String(retryAfter)) ? Number(retryAfter) : undefined;
  return new SendFailure(kind, said, seconds && seconds * SECOND_MS);
}
