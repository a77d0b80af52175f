import { addMs, msBetween } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Connect, Connection, Inlet, Surroundings } from '../feed.ts';
import { makeBackoff } from './backoff.ts';
import { connectionProblem } from './connection-problem.ts';
import { PollRhythm } from './poll-rhythm.ts';

export interface HttpPollOptions {
  /** Addresses at which the answer may be; the next one is tried where one is not found. At least one. */
  readonly urls: readonly URL[];
  /** Sent as `Authorization`, read anew for each request so that a password can be changed. */
  readonly authorization?: (() => Promise<string>) | undefined;
  /** Default 1 s, which is how often readsb writes. */
  readonly intervalMs?: number;
  /** Default 5 s, for the whole answer. */
  readonly timeoutMs?: number;
  /** Default 8 MiB, unzipped: many times the answer of the busiest station. */
  readonly bodyMaxBytes?: number;
}

const INTERVAL_MS = SECOND_MS;
const TIMEOUT_MS = 5 * SECOND_MS;
export const BODY_MAX_BYTES = 8 * 1024 * 1024;
const REDIRECTS_MAX = 3;

/** Asks for the same address again and again. */
export function httpPoll(options: HttpPollOptions): Connect {
  return (inlet, surroundings) => startPolling(options, inlet, surroundings);
}

/** Its message is for whoever runs the feed. */
class PollError extends Error {
  readonly isNotFound: boolean;

  constructor(problem: string, isNotFound = false) {
    super(problem);
    this.isNotFound = isNotFound;
  }
}

function startPolling(options: HttpPollOptions, inlet: Inlet, { now, after, random }: Surroundings): Connection {
  const { urls, intervalMs = INTERVAL_MS, timeoutMs = TIMEOUT_MS, bodyMaxBytes = BODY_MAX_BYTES } = options;
  const backoff = makeBackoff(random);
  const rhythm = new PollRhythm(intervalMs);
  const closing = new AbortController();
  let place = 0;
  let etag: string | undefined;
  let lastBody: Uint8Array = Buffer.alloc(0);
  let cancelNext = () => {};
  let polling = poll();

  function next(ms: number): void {
    if (closing.signal.aborted) return;
    cancelNext = after(ms, () => {
      polling = poll();
    });
  }

  async function poll(): Promise<void> {
    const startedAt = now();
    try {
      const isNew = await ask();
      backoff.reset();
      next(Math.max(0, rhythm.nextMs(isNew) - Math.max(0, msBetween(startedAt, now()))));
    } catch (error) {
      if (closing.signal.aborted) return;
      inlet.lost(problemOf(error));
      etag = undefined;
      if (error instanceof PollError && error.isNotFound) place = (place + 1) % urls.length;
      next(error instanceof PollError && error.isNotFound && place > 0 ? 0 : backoff.nextMs());
    }
  }

  /** @returns whether the answer is another one than the last */
  async function ask(): Promise<boolean> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
    const headers = new Headers({ accept: 'application/json' });
    if (etag !== undefined) headers.set('if-none-match', etag);
    if (options.authorization) headers.set('authorization', await authorizationFrom(options.authorization));
    const sentAt = now();
    const response = await follow(urls[place] as URL, { headers, signal, redirect: 'manual', cache: 'no-store' });
    // The answer was made between sending and receiving; which half of the way was slower is not known.
    const receivedAt = addMs(sentAt, Math.round(Math.max(0, msBetween(sentAt, now())) / 2));
    if (response.status === 304) {
      await response.body?.cancel();
      inlet.connected();
      return false;
    }
    if (response.status !== 200) {
      await response.body?.cancel();
      throw statusError(response.status);
    }
    const body = await bodyOf(response);
    if (closing.signal.aborted) return false;
    inlet.connected();
    etag = response.headers.get('etag') ?? undefined;
    inlet.message(body, receivedAt);
    const isNew = Buffer.compare(body, lastBody) !== 0;
    lastBody = body;
    return isNew;
  }

  /** Follows what stays at the same place; no other place was chosen by whoever runs this. */
  async function follow(start: URL, request: RequestInit): Promise<Response> {
    let url = start;
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(url, request);
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || response.status === 304 || location === null)
        return response;
      await response.body?.cancel();
      const target = URL.canParse(location, url) ? new URL(location, url) : undefined;
      if (target?.origin !== start.origin) throw new PollError('it redirects elsewhere: write the address it leads to');
      if (redirects === REDIRECTS_MAX) throw new PollError('it redirects in circles');
      url = target;
    }
  }

  async function bodyOf(response: Response): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > bodyMaxBytes) {
        inlet.refuse('too_long');
        throw new PollError(`its answer is longer than ${Math.floor(bodyMaxBytes / 1024)} KiB`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  function problemOf(error: unknown): string {
    if (error instanceof PollError) return error.message;
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return `no answer within ${timeoutMs / SECOND_MS} s`;
    return connectionProblem(error);
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
    throw new PollError(`its password_file cannot be read: ${connectionProblem(error)}`);
  }
}

function statusError(status: number): PollError {
  if (status === 401 || status === 403) return new PollError(`it asks for a user and password (status ${status})`);
  if (status === 404) return new PollError('there is nothing at that address (status 404)', true);
  return new PollError(`it answers with status ${status}`);
}
