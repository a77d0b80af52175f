import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { RangeResponse, Source } from 'pmtiles';
import { backOffMs } from '#lib/async/back-off.ts';
import { BodyTooLarge, boundedBytes } from '#lib/server/upstream/bounded-body.ts';

/** A failure that has its sentence for admins. */
export class FetchFailure extends Error {}

/** The source has no such file. */
export class FileMissing extends FetchFailure {}

/** A larger directory or batch means a damaged archive. */
const RANGE_MAX_BYTES = 16 * 1024 * 1024;

const TRIES = 3;
const ANSWER_TIMEOUT_MS = 120_000;

export interface RangeSourceOptions {
  readonly signal?: AbortSignal;
  /** Before the second try; twice as long before the third. */
  readonly retryMs?: number;
}

/** All ranges are of one version of the file. `getBytes` throws FetchFailure. */
export class RangeSource implements Source {
  readonly #url: URL;
  readonly #signal: AbortSignal | undefined;
  readonly #retryMs: number;
  #version: string | undefined;

  constructor(url: URL, { signal, retryMs = 1000 }: RangeSourceOptions = {}) {
    this.#url = url;
    this.#signal = signal;
    this.#retryMs = retryMs;
  }

  getKey(): string {
    return this.#url.href;
  }

  /** Fewer bytes only at the end of the file. */
  async getBytes(offset: number, length: number): Promise<RangeResponse> {
    if (length > RANGE_MAX_BYTES)
      throw new FetchFailure(`${this.#url} is damaged: a part of it claims ${length} bytes.`);
    for (let tries = 1; ; tries++) {
      try {
        return await this.#ask(offset, length);
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (error instanceof FetchFailure) throw error;
        if (tries === TRIES)
          throw new FetchFailure(`${this.#url.host} did not answer in ${TRIES} tries: ${reasonOf(error)}.`);
        const waitMs = backOffMs(tries, { firstMs: this.#retryMs, maxMs: Number.POSITIVE_INFINITY });
        await delay(waitMs, undefined, this.#signal && { signal: this.#signal }).catch(() =>
          this.#signal?.throwIfAborted(),
        );
      }
    }
  }

  /** @throws Error if a retry may work, else FetchFailure */
  async #ask(offset: number, length: number): Promise<RangeResponse> {
    const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const answer = await fetch(this.#url, {
      headers: { range: `bytes=${offset}-${offset + length - 1}`, 'accept-encoding': 'identity' },
      signal: this.#signal ? AbortSignal.any([this.#signal, timeout]) : timeout,
    });
    const { status, headers, body } = answer;
    if (status !== 206 || !body) {
      await body?.cancel();
      if (status === 429 || status >= 500) throw new Error(`it answers ${status}`);
      const isMissing = status === 404 || status === 410;
      throw new (isMissing ? FileMissing : FetchFailure)(refusal(this.#url, status));
    }
    const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? [];
    const expected = Number(last) - Number(first) + 1;
    const isShort = expected < length && Number(last) + 1 === Number(total);
    if (Number(first) !== offset || (expected !== length && !isShort)) {
      await body.cancel();
      throw new FetchFailure(`${this.#url.host} sends other bytes than those requested; use another server.`);
    }
    const version = `${headers.get('etag') ?? headers.get('last-modified')} ${total}`;
    this.#version ??= version;
    if (version !== this.#version) {
      await body.cancel();
      throw new FetchFailure(`${this.#url} was replaced while it was read; try again.`);
    }
    const data = await boundedBytes(body, expected).catch((error: unknown) => {
      throw error instanceof BodyTooLarge ? new Error('it sends more than it announced') : error;
    });
    if (data.byteLength < expected) throw new Error('the connection was cut');
    return { data: new Uint8Array(data).buffer };
  }
}

function refusal(url: URL, status: number): string {
  if (status === 200)
    return `${url.host} ignores range requests: it would send the whole file. Use a server that answers them with 206.`;
  if (status === 416) return `${url} is shorter than its directory says: it is cut short or damaged.`;
  if (status === 404 || status === 410)
    return `There is no file at ${url} (${status}). Builds are removed after some days: see https://maps.protomaps.com/builds.`;
  return `${url.host} refuses ${url.pathname} (${status}).`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { cause } = error;
  if (cause instanceof Error) return 'code' in cause ? `${cause.message} (${String(cause.code)})` : cause.message;
  return error.name === 'TimeoutError' ? `it took longer than ${ANSWER_TIMEOUT_MS / 1000} s` : error.message;
}
