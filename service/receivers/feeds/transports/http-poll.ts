import { readFile } from 'node:fs/promises';
import { addMs, epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { retryAfterMs } from '#lib/time/retry-after.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Connect, Connection, FeedSettings, Inlet, Surroundings } from '../feed.ts';
import { plainPath } from '../feed-kind.ts';
import { makeBackoff, REFUSED_MS } from './backoff.ts';
import { feedProblem } from './feed-problem.ts';
import { exchange, type HttpAnswer, TooLongError } from './http-exchange.ts';
import { AnswerChanges, BodyLimit, PollRhythm, writtenAgoMs } from './polling.ts';

export interface HttpPollOptions {
  /** The addresses, at least one. One without a readable answer gives way to the next. */
  readonly urls: readonly URL[];
  /** It is read for each request, so that a password can change. */
  readonly authorization?: (() => Promise<string>) | undefined;
  readonly timeoutMs?: number;
}

/** readsb writes at this interval. */
const INTERVAL_MS = SECOND_MS;
/** An answer may take so long: a receiver that hung and is back answers the next poll. */
const TIMEOUT_MS = 4 * SECOND_MS;
const REDIRECTS_MAX = 3;
/** Unreadable answers before another address is tried: a half-written file, a restart. */
const UNREAD_MAX = 10;
/** Statuses of a wrong password, or of too many requests. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([401, 403, 429]);
/** The longest wait that the server may ask for: a mistake there must not blind the feed for a day. */
const ASKED_MAX_MS = 15 * MINUTE_MS;

/**
 * Polls one of several addresses once a second, soon after each change of its answer. It follows redirections within
 * the server only. Of a failing address, it says what is wrong, and tries again for ever.
 */
export function httpPoll(options: HttpPollOptions): Connect {
  return (inlet, surroundings) => startPolling(options, inlet, surroundings);
}

class PollError extends Error {
  readonly status: number | undefined;
  /** The wait that the server asks for, 0 if it asks for none. */
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
  /** Unreadable answers since a readable one, infinite before the first. */
  let unread = Number.POSITIVE_INFINITY;
  let lastUnread: Uint8Array | undefined;
  /** One of the addresses has a problem that says more than a 404 of the others. */
  let hasReported = false;
  let changes = new AnswerChanges();
  let etag: string | undefined;
  let cancelNext = () => {};
  let polling = poll();

  function pollLater(ms: number): void {
    if (closing.signal.aborted) return;
    cancelNext = after(ms, () => {
      polling = poll();
    });
  }

  /**
   * Takes the next address if this one proved to be the wrong place.
   * @returns how long to wait: a next address is tried at once
   */
  function prepareRetry(isElsewhere: boolean, longestMs?: number): number {
    etag = undefined;
    if (isElsewhere) {
      place = (place + 1) % urls.length;
      changes = new AnswerChanges();
      unread = Number.POSITIVE_INFINITY;
      if (place > 0) return 0;
    }
    hasReported = false;
    return backoff.nextMs(longestMs);
  }

  async function poll(): Promise<void> {
    const startedAt = now();
    try {
      const outcome = await request();
      if (outcome === 'unreadable') {
        unread += 1;
        hasReported = true;
        pollLater(prepareRetry(unread >= UNREAD_MAX));
      } else {
        unread = 0;
        backoff.reset();
        pollLater(Math.max(0, rhythm.nextMs(outcome === 'new') - Math.max(0, msBetween(startedAt, now()))));
      }
    } catch (error) {
      if (closing.signal.aborted) return;
      const { status, waitMs } = error instanceof PollError ? error : { status: undefined, waitMs: 0 };
      if (status !== 404 || !hasReported) inlet.lost(error instanceof PollError ? error.message : feedProblem(error));
      hasReported ||= status !== undefined && status !== 404;
      const isElsewhere = status === 404 || (status !== undefined && unread >= UNREAD_MAX);
      const afterMs = prepareRetry(isElsewhere, REFUSALS.has(status) ? REFUSED_MS : undefined);
      // The time that a hanging request took counts as part of the wait.
      pollLater(Math.max(waitMs, afterMs - Math.max(0, msBetween(startedAt, now()))));
    }
  }

  /** @returns whether the answer was new and readable */
  async function request(): Promise<'new' | 'same' | 'unreadable'> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (etag !== undefined) headers['if-none-match'] = etag;
    if (options.authorization) headers.authorization = await authorizationFrom(options.authorization);
    const sentAt = now();
    const answer = await follow(urls[place] as URL, headers);
    if (closing.signal.aborted) return 'same';
    // The time halfway between sending and receiving: it assumes equal delays.
    const receivedAt = addMs(sentAt, Math.round(Math.max(0, msBetween(sentAt, now())) / 2));
    inlet.connected();
    if (answer.status === 304) {
      inlet.repeated();
      return 'same';
    }
    etag = answer.headers.etag;
    return read(answer, receivedAt);
  }

  async function read({ server, body, headers }: HttpAnswer, receivedAt: UpstreamInstant): ReturnType<typeof request> {
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
  async function follow(start: URL, headers: Readonly<Record<string, string>>): Promise<HttpAnswer> {
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
  ): Promise<HttpAnswer> {
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

async function authorizationFrom(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    throw new PollError(`its password_file cannot be read: ${feedProblem(error)}`);
  }
}

function statusError(
  { status, headers: { 'retry-after': retryAfter, date } }: HttpAnswer,
  at: UpstreamInstant,
): PollError {
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

/** Reads the password file for each request, so that it can change. */
export function basicAuthorization({ username, passwordFile }: FeedSettings): (() => Promise<string>) | undefined {
  if (username === undefined || passwordFile === undefined) return undefined;
  return async () => {
    const password = (await readFile(passwordFile, 'utf8')).trim();
    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  };
}
