import 'server-only';
import { request } from 'undici';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Guard } from '../guard/guard.ts';
import { SendFailure } from './sender.ts';

export interface HttpMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers are read up to here and dropped. */
const ANSWER_MAX_BYTES = 65_536;
const RETRIED: readonly number[] = [408, 425, 429];

/** @throws SendFailure for every answer but 2xx, Error of the connection */
export async function httpPost(
  { agent }: Pick<Guard, 'agent'>,
  { url, headers, body }: HttpMessage,
  signal: AbortSignal,
): Promise<void> {
  const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent, signal });
  const { statusCode: status } = answer;
  await answer.body.dump({ limit: ANSWER_MAX_BYTES, signal }).catch(() => undefined);
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400)
    throw new SendFailure(
      'retry',
      `It redirects (status ${status}), which Lookout does not follow: use its final URL.`,
    );
  const text = `It answered with status ${status}.`;
  if (status === 410) throw new SendFailure('gone', text);
  if (status >= 500 || RETRIED.includes(status))
    throw new SendFailure('retry', text, retryAfterMs(answer.headers['retry-after']));
  throw new SendFailure('refused', text);
}

/** In seconds; dates are ignored, as they need the server's clock. */
function retryAfterMs(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * SECOND_MS : undefined;
}
