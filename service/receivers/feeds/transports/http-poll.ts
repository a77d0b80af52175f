import { addMs, epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { retryAfterMs } from '#lib/time/retry-after.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Connect, Connection, Inlet, Surroundings } from '../feed.ts';
import { plainPath } from '../feed-kind.ts';
import { AnswerChanges } from './answer-changes.ts';
import { makeBackoff, REFUSED_MS } from './backoff.ts';
import { BodyLimit } from './body-limit.ts';
import { connectionProblem } from './connection-problem.ts';
import { type Answer, exchange, TooLongError } from './http-exchange.ts';
import { PollRhythm } from './poll-rhythm.ts';
import { writtenAgoMs } from './written-ago.ts';

export interface HttpPollOptions {
  /** Not empty. An address without a readable answer gives way to the next. */
  readonly urls: readonly URL[];
  /** Read for each request, so that a password can change. */
  readonly authorization?: (() => Promise<string>) | undefined;
  readonly timeoutMs?: number;
}

/** readsb's interval. */
const INTERVAL_MS = SECOND_MS;
/** A receiver that hung and is back answers the poll after this. */
const TIMEOUT_MS = 4 * SECOND_MS;
const REDIRECTS_MAX = 3;
/** Unreadable answers before another address is tried: a half-written file, a restart. */
const UNREAD_MAX = 10;
/** A wrong password, too many requests. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([401, 403, 429]);
/** Of a wait that the server asks for: a mistake there must not blind the feed for a day. */
const ASKED_MAX_MS = 15 * MINUTE_MS;

export function httpPoll(options: HttpPollOptions): Connect {
  return (inlet, surroundings) => startPolling(options, inlet, surroundings);
}

class PollError extends Error {
  readonly status: number | undefined;
  /** As the server asks, 0 if it does not. */
  readonly waitMs: number;

  constructor(problem: string, status?: number, waitMs = 0) {
    super(problem);
    this.status = status;
    this.waitMs = Math.min(waitMs, ASKED_MAX_MS);
  }
}

function startPolling(options: HttpPollOptions, inlet: Inlet, { now, after, random }: Surroundings): Connection {
  const { urls, timeoutMs = TIMEOUT_MS } = options;
  const limit = new BodyLimit();
  const backoff = makeBackoff(random);
  const rhythm = new PollRhythm(INTERVAL_MS);
  const closing = new AbortController();
  let place = 0;
  /** Since a readable answer, infinite before the first. */
  let unread = Number.POSITIVE_INFINITY;
  let lastUnread: Uint8Array | undefined;
  let isTelling = false;
  let changes = new AnswerChanges();
  let etag: string | undefined;
  let cancelNext = () => {};
  let polling = poll();

  function next(ms: number): void {
    if (closing.signal.aborted) return;
    cancelNext = after(ms, () => {
      polling = poll();
    });
  }

  function goOn(isElsewhere: boolean, longestMs?: number): number {
    etag = undefined;
    if (isElsewhere) {
      place = (place + 1) % urls.length;
      changes = new AnswerChanges();
      unread = Number.POSITIVE_INFINITY;
      if (place > 0) return 0;
    }
    isTelling = false;
    return backoff.nextMs(longestMs);
  }

  async function poll(): Promise<void> {
    const startedAt = now();
    try {
      const outcome = await ask();
      if (outcome === 'unreadable') {
        unread += 1;
        isTelling = true;
        next(goOn(unread >= UNREAD_MAX));
      } else {
        unread = 0;
        backoff.reset();
        next(Math.max(0, rhythm.nextMs(outcome === 'new') - Math.max(0, msBetween(startedAt, now()))));
      }
    } catch (error) {
      if (closing.signal.aborted) return;
      const { status, waitMs } = error instanceof PollError ? error : { status: undefined, waitMs: 0 };
      if (status !== 404 || !isTelling) inlet.lost(problemOf(error));
      isTelling ||= status !== undefined && status !== 404;
      const isElsewhere = status === 404 || (status !== undefined && unread >= UNREAD_MAX);
      const retryMs = goOn(isElsewhere, REFUSALS.has(status) ? REFUSED_MS : undefined);
      // A receiver that hangs has waited already.
      next(Math.max(waitMs, retryMs - Math.max(0, msBetween(startedAt, now()))));
    }
  }

  /** @returns whether the answer was new and readable */
  async function ask(): Promise<'new' | 'same' | 'unreadable'> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (etag !== undefined) headers['if-none-match'] = etag;
    if (options.authorization) headers.authorization = await authorizationFrom(options.authorization);
    const sentAt = now();
    const answer = await follow(urls[place] as URL, headers);
    if (closing.signal.aborted) return 'same';
    // Halfway between sending and receiving: assumes equal delays.
    const receivedAt = addMs(sentAt, Math.round(Math.max(0, msBetween(sentAt, now())) / 2));
    inlet.connected();
    if (answer.status === 304) {
      inlet.repeated();
      return 'same';
    }
    etag = answer.headers.etag;
    return read(answer, receivedAt);
  }

  async function read({ server, body, headers }: Answer, receivedAt: UpstreamInstant): ReturnType<typeof ask> {
    if (lastUnread !== undefined && Buffer.compare(lastUnread, body) === 0) {
      inlet.repeated();
      return 'unreadable';
    }
    const change = changes.next(body, headers['last-modified'] ?? '', receivedAt);
    if (change === 'same') {
      inlet.repeated();
      return 'same';
    }
    const isRead = await inlet.answer(body, receivedAt, {
      writtenAgoMs: writtenAgoMs(headers, changes.isWrittenFalse),
      mayBeOld: change === 'first',
      server: `${server}${plainPath((urls[place] as URL).pathname)}`,
    });
    limit.note(body.length, isRead);
    lastUnread = isRead ? undefined : body;
    if (!isRead) changes = new AnswerChanges();
    return isRead ? 'new' : 'unreadable';
  }

  /** Follows redirections to the same server only: the operator chose no other. */
  async function follow(start: URL, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([closing.signal, timeout]);
    let url = start;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await exchangeBy(url, headers, signal, timeout);
      const { location } = answer.headers;
      if (answer.status === 200 || answer.status === 304) return answer;
      if (answer.status < 300 || answer.status > 399 || location === undefined) throw statusError(answer, now());
      const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
      if (target?.origin !== start.origin)
        throw new PollError('it redirects elsewhere: write the address it leads to', answer.status);
      if (redirects === REDIRECTS_MAX) throw new PollError('it redirects in circles', answer.status);
      url = target;
    }
  }

  async function exchangeBy(
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    timeout: AbortSignal,
  ): Promise<Answer> {
    const maxBytes = limit.bytes;
    try {
      return await exchange(url, headers, maxBytes, signal);
    } catch (error) {
      if (timeout.aborted) throw new PollError(`no answer within ${timeoutMs / SECOND_MS} s`);
      if (!(error instanceof TooLongError)) throw error;
      inlet.refuse('too_long');
      limit.exceeded(error.head);
      throw new PollError(`its answer is longer than ${Math.floor(maxBytes / 1024)} KiB`);
    }
  }

  return {
    async close() {
      closing.abort();
      cancelNext();
      await polling;
    },
  };
}

function problemOf(error: unknown): string {
  return error instanceof PollError ? error.message : connectionProblem(error);
}

async function authorizationFrom(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    throw new PollError(`its password_file cannot be read: ${connectionProblem(error)}`);
  }
}

function statusError({ status, headers: { 'retry-after': retryAfter, date } }: Answer, at: UpstreamInstant): PollError {
  const waitMs = retryAfterMs({ retryAfter, date }, epochMs(at));
  return new PollError(`${STATUS_PROBLEMS[status] ?? 'it answers with an error'} (status ${status})`, status, waitMs);
}

const STATUS_PROBLEMS: Readonly<Record<number, string>> = {
  401: 'it requires a user and password',
  403: 'it refuses access: it may require a user and password, or another address',
  404: 'there is nothing at that address',
  429: 'it has too many requests',
  502: 'a proxy answers, and what is behind it does not',
  503: 'it is not ready',
  504: 'a proxy answers, and what is behind it does not',
};
