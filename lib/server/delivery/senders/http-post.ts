import 'server-only';
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync, constants as zlib } from 'node:zlib';
import { request } from 'undici';
import { plainLine } from '#lib/text/plain-line.ts';
import { retryAfterMs } from '#lib/time/retry-after.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { deadline } from '../../machine.ts';
import type { Guard } from '../guard.ts';
import { connectionProblem, SendFailure } from './sender.ts';

const ANSWER_MS = 10 * SECOND_MS;
/** An answer may be endless. That of ntfy repeats a message of 4 KiB. */
const BODY = { maxBytes: 65_536, ms: SECOND_MS } as const;
const PLAIN_MAX_BYTES = 1_048_576;

/** These concern the sender, or a server or proxy that is busy or away: every other notice would fail too. */
const OF_EVERY_NOTICE: readonly number[] = [
  ...[401, 407, 408, 421, 425, 429, 502, 503, 504, 507, 511],
  // These are from content delivery networks.
  ...[520, 521, 522, 523, 524, 525, 526, 527, 530],
];

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the body. */
  readonly body: string;
}

interface PostOptions {
  readonly answerMs?: number | undefined;
  /** The statuses of a receiver that accepts nothing any more. */
  readonly goneAt?: readonly number[];
}

/**
 * Follows no redirects. Resolves at a status of success with the body, which may be cut off.
 * @throws SendFailure, also for a web page: it is made for people, so no receiver of notices answered
 */
export async function post(
  url: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
  { agent }: Pick<Guard, 'agent'>,
  signal: AbortSignal,
  { answerMs = ANSWER_MS, goneAt = [410] }: PostOptions = {},
): Promise<string> {
  const sending = deadline(signal, answerMs);
  try {
    const sent = {
      method: 'POST',
      body,
      headers: { 'user-agent': 'Lookout', accept: 'application/json', 'accept-encoding': 'identity', ...headers },
    } as const;
    const reply = await request(url, { ...sent, dispatcher: agent, signal: sending.signal });
    const answer = {
      status: reply.statusCode,
      headers: reply.headers,
      body: await beginning(reply.body, sending.abort),
    };
    const failure = failureOf(answer, secretsOf(url, headers), goneAt);
    if (failure) throw failure;
    return answer.body;
  } catch (error) {
    if (error instanceof SendFailure) throw error;
    const problem = sending.signal.aborted ? 'It did not answer in time.' : connectionProblem(error);
    throw new SendFailure('retry', problem);
  } finally {
    sending.end();
  }
}

/** Ends the connection of an answer that is large or slow: its status is known. */
async function beginning(body: AsyncIterable<Uint8Array> & { destroy(): unknown }, abort: () => void): Promise<string> {
  const timer = setTimeout(abort, BODY.ms).unref();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > BODY.maxBytes) break;
    }
  } catch {
    // The bytes that were read until then count.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  return plain(Buffer.concat(chunks)).toString();
}

/** Some servers send gzip to every client. */
function plain(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: PLAIN_MAX_BYTES });
  } catch {
    return Buffer.alloc(0);
  }
}

function failureOf(answer: Answer, secrets: readonly string[], goneAt: readonly number[]): SendFailure | undefined {
  const { status, headers, body } = answer;
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && !isWebPage(body)) return undefined;
  const words = wordsOf(answer, secrets);
  const quoted = words === '' ? '' : `: “${words}”`;
  if (isSuccess)
    return new SendFailure('failed', `It answered with a web page, as a sign-in page or a proxy does${quoted}.`);
  const [retryAfter, date] = [headers['retry-after'], headers.date];
  const waitMs = retryAfterMs({ retryAfter, date }, Date.now());
  if (goneAt.includes(status)) return new SendFailure('gone', `It answered with status ${status}${quoted}.`);
  if (status >= 300 && status < 400)
    return new SendFailure(
      'retry',
      `It answered with status ${status}${redirectText(headers.location)}. Redirects are not followed: if the receiver has moved, enter its new address.`,
      waitMs,
    );
  const kind = OF_EVERY_NOTICE.includes(status) ? 'retry' : 'failed';
  return new SendFailure(kind, `It answered with status ${status}${quoted}.`, waitMs);
}

/** The origin alone: path and query may contain secrets. */
function redirectText(location: string | undefined): string {
  const origin = URL.parse(location ?? '')?.origin ?? 'null';
  return origin === 'null' ? '' : `, to ${origin}`;
}

const BEFORE_A_PAGE = /^(\s|\uFEFF|<!--[\s\S]*?-->|<\?xml[\s\S]*?\?>)*/;

/** A web page is a whole document. Receivers answer words, JSON and pieces of HTML. */
function isWebPage(body: string): boolean {
  return /^<(!doctype\s+html|html|head|body)\b/i.test(body.replace(BEFORE_A_PAGE, ''));
}

const WORDS_MAX_LENGTH = 80;
/** The title of a page is searched in so many characters. */
const SEARCHED = 8192;

/** The words of the answer that are meant for people; '' if none surely are. */
function wordsOf({ headers, body }: Answer, secrets: readonly string[]): string {
  const type = headers['content-type'] ?? '';
  let words = '';
  const page = body.slice(0, SEARCHED);
  if (isWebPage(page))
    words = textOf(/<title[^>]*>([^<]*)/i.exec(page)?.[1] ?? /<h1[^>]*>([\s\S]*?)<\/h1>/i.exec(page)?.[1]);
  else if (/^application\/([\w.+-]+\+)?json\b/i.test(type)) words = statedError(body);
  else if (/^text\/plain\b/i.test(type) || (/^text\/html\b/i.test(type) && !body.includes('<')))
    words = body.trimStart().split('\n', 1)[0] ?? '';
  for (const secret of secrets) words = words.replaceAll(secret, '…');
  const line = plainLine(words);
  return line.length > WORDS_MAX_LENGTH ? `${line.slice(0, WORDS_MAX_LENGTH - 1)}…` : line;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };

function textOf(html = ''): string {
  return html.replace(/<[^>]*>/g, '').replace(/&(\w+|#\d+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

function statedError(json: string): string {
  try {
    const stated: unknown = JSON.parse(json);
    const { error, message, title, detail } = (stated ?? {}) as Record<string, unknown>;
    const nested = (error ?? {}) as { message?: unknown };
    return [error, nested.message, message, title, detail].find((each) => typeof each === 'string') ?? '';
  } catch {
    return '';
  }
}

/** A receiver may repeat the request. Shorter parts are no secrets. */
const SECRET_MIN_LENGTH = 6;

function secretsOf(url: string, { authorization = '' }: Readonly<Record<string, string>>): readonly string[] {
  const { pathname, searchParams } = new URL(url);
  const parts = [...pathname.split('/'), ...searchParams.values(), ...authorization.split(' ').slice(1)];
  return parts
    .flatMap((part) => [part, decoded(part)])
    .filter(({ length }) => length >= SECRET_MIN_LENGTH)
    .sort((one, other) => other.length - one.length);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
