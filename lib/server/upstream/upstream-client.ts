import 'server-only';
import PQueue from 'p-queue';
import type { Logger } from 'pino';
import { Agent, type Dispatcher, request } from 'undici';
import type { LayerReason } from '#lib/api/layer-reason.ts';
import { errorBodySchema } from '#lib/contract/error-body.ts';
import { QUERY_LENGTH_LIMIT } from '#lib/contract/limits.ts';
import {
  DAY_REMAINING_HEADER,
  type Layer,
  MINUTE_REMAINING_HEADER,
  operationPath,
  REQUEST_ID_HEADER,
} from '#lib/contract/operation.ts';
import { liveQuerySchema } from '#lib/contract/query.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { addMs, type Instant } from '#lib/time/instant.ts';
import { type Allowance, allowanceNumber, refusedUntil, usedUpUntil } from './allowance-hold.ts';
import type { ApiKey, ApiKeySource } from './api-key.ts';
import { BodyTooLarge, boundedBody } from './bounded-body.ts';
import { makePageReader, type Page, type PageReader } from './read-page.ts';
import { retryAfterMs } from './retry-after.ts';
import { type Block, Standing } from './standing.ts';
import { UpstreamClock } from './upstream-clock.ts';

export interface LivePageQuery {
  /** West < east, no side over the contract's live limit. */
  readonly bbox: Bbox;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export type PageOutcome =
  | { readonly kind: 'page'; readonly page: Page }
  /** The upstream did not take the cursor: the refresh may start again without one. */
  | { readonly kind: 'cursor-refused' }
  /** No page, and why; `until` on our own clock. */
  | { readonly kind: 'blocked'; readonly block: Block };

/** Connecting, waiting for the header, a pause in the body, and the whole request, each by itself. */
export interface UpstreamTimeouts {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly totalMs: number;
}

export interface UpstreamClientOptions {
  readonly baseUrl: string;
  readonly key: ApiKeySource;
  readonly trackPrefix: string | undefined;
  readonly now: () => Instant;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly timeouts?: UpstreamTimeouts;
}

export const UPSTREAM_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 5000,
  headersMs: 10_000,
  bodyMs: 5000,
  totalMs: 20_000,
};
const MOST_IN_FLIGHT = 4;
const BODY_MAX_BYTES = 32 * 1024 * 1024;
/** What an error's body may be: it is read for its request id alone. */
const ERROR_BODY_MAX_BYTES = 64 * 1024;

/**
 * Asks the upstream one page at a time. It never asks while the upstream has told us not to, follows no redirect, sends no
 * header of the browser's, and turns everything that can go wrong into a reason.
 */
export class UpstreamClient {
  readonly clock: UpstreamClock;
  readonly #options: UpstreamClientOptions;
  readonly #timeouts: UpstreamTimeouts;
  readonly #dispatcher: Dispatcher;
  readonly #queue = new PQueue({ concurrency: MOST_IN_FLIGHT });
  readonly #standing: Standing;
  readonly #readPage: PageReader;
  readonly #probes = new Map<Layer | 'account', Promise<unknown>>();

  constructor(options: UpstreamClientOptions) {
    this.#options = options;
    this.#timeouts = options.timeouts ?? UPSTREAM_TIMEOUTS;
    this.#dispatcher = new Agent({
      connections: MOST_IN_FLIGHT,
      connect: { timeout: this.#timeouts.connectMs },
      headersTimeout: this.#timeouts.headersMs,
      bodyTimeout: this.#timeouts.bodyMs,
    });
    this.#standing = new Standing(options.random);
    this.#readPage = makePageReader(options.trackPrefix);
    this.clock = new UpstreamClock(options.now);
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  /** @throws Error where our own query breaks the contract: a defect, which never leaves */
  async livePage(layer: Layer, query: LivePageQuery): Promise<PageOutcome> {
    const encoded = this.#encode(query);
    for (;;) {
      const key = this.#key();
      if (!key) return { kind: 'blocked', block: { reason: 'key_refused', until: undefined } };
      const block = this.#standing.blocked(layer, encoded, key.id, this.#options.now());
      if (block) return { kind: 'blocked', block };
      const probe = this.#probes.get('account') ?? this.#probes.get(layer);
      if (!probe) return this.#asProbeWhereUnproven(layer, () => this.#send(layer, encoded, query, key));
      await probe;
    }
  }

  /** Account and layer that are not known to be in order are tried by one request, for which all others wait. */
  async #asProbeWhereUnproven(layer: Layer, send: () => Promise<PageOutcome>): Promise<PageOutcome> {
    const unproven = (['account', layer] as const).filter((scope) => !this.#standing.isProven(scope));
    const outcome = this.#queue.add(send);
    if (unproven.length === 0) return outcome;
    const settled = outcome.then(
      () => undefined,
      () => undefined,
    );
    for (const scope of unproven) this.#probes.set(scope, settled);
    try {
      return await outcome;
    } finally {
      for (const scope of unproven) this.#probes.delete(scope);
    }
  }

  #encode(query: LivePageQuery): string {
    const parameters = {
      bbox: formatBbox(query.bbox),
      limit: String(query.limit),
      ...(query.cursor === undefined ? {} : { cursor: query.cursor }),
    };
    liveQuerySchema(this.#options.trackPrefix).parse(parameters);
    const encoded = new URLSearchParams(parameters).toString();
    if (encoded.length >= QUERY_LENGTH_LIMIT) throw new Error('a query of ours is too long for the contract');
    return encoded;
  }

  /** A key file that cannot be read now is as good as no key: nothing is asked until it can. */
  #key(): ApiKey | undefined {
    try {
      return this.#options.key.current();
    } catch (error) {
      this.#options.log.error({ err: error }, 'the key of the upstream cannot be read');
      return undefined;
    }
  }

  async #send(layer: Layer, encoded: string, query: LivePageQuery, key: ApiKey): Promise<PageOutcome> {
    const { baseUrl, now, log } = this.#options;
    // Something may have been refused while this request waited for its turn.
    const block = this.#standing.blocked(layer, encoded, key.id, now());
    if (block) return blocked(block);
    const sentAt = now();
    const note = { layer, mode: 'live', bbox: formatBbox(query.bbox), paged: query.cursor !== undefined, key: key.id };
    let response: Dispatcher.ResponseData;
    try {
      response = await request(`${baseUrl}${operationPath('live', layer)}?${encoded}`, {
        dispatcher: this.#dispatcher,
        headers: { authorization: `Bearer ${key.value}`, accept: 'application/json', 'user-agent': 'lookout' },
        signal: AbortSignal.timeout(this.#timeouts.totalMs),
      });
    } catch (error) {
      const reason = isTimeout(error) ? 'service_timeout' : 'service_unreachable';
      log.warn({ ...note, reason, err: messageOf(error) }, 'upstream did not answer');
      return this.#failed(layer, reason);
    }
    const header = (name: string) => [response.headers[name] ?? []].flat()[0];
    const allowance: Allowance = {
      minuteRemaining: allowanceNumber(header(MINUTE_REMAINING_HEADER)),
      dayRemaining: allowanceNumber(header(DAY_REMAINING_HEADER)),
    };
    const answered = {
      ...note,
      status: response.statusCode,
      request_id: header(REQUEST_ID_HEADER),
      cost: 1,
      ...allowance,
      took_ms: now() - sentAt,
    };

    if (response.statusCode !== 200) {
      const body = await boundedBody(response.body, ERROR_BODY_MAX_BYTES).catch(() => '');
      log.warn(answered, 'upstream refused');
      return this.#refused(layer, encoded, query, key, response.statusCode, {
        allowance,
        retryAfter: header('retry-after'),
        fromEdge: !isErrorBody(body),
      });
    }

    let body: string;
    try {
      body = await boundedBody(response.body, BODY_MAX_BYTES);
    } catch (error) {
      response.body.destroy();
      const reason =
        error instanceof BodyTooLarge ? 'answer_too_large' : isTimeout(error) ? 'service_timeout' : 'answer_unreadable';
      log.warn({ ...answered, reason, err: messageOf(error) }, 'upstream answer broke off');
      return this.#failed(layer, reason);
    }
    const page = this.#readPage(body, 'live', layer);
    if (!page) {
      log.warn({ ...answered, reason: 'answer_unreadable' }, 'upstream answer could not be read');
      return this.#failed(layer, 'answer_unreadable');
    }
    this.clock.sample(page.generatedAt, sentAt, now());
    this.#standing.accepted(layer);
    const usedUp = usedUpUntil(allowance, this.clock.now(), this.#options.random);
    if (usedUp !== undefined) this.#standing.holdUntil(this.clock.toLocal(usedUp), 'allowance_used_up');
    log.info({ ...answered, records: page.positions.length, unreadable: page.unreadable }, 'upstream answered');
    return { kind: 'page', page };
  }

  #refused(
    layer: Layer,
    encoded: string,
    query: LivePageQuery,
    key: ApiKey,
    status: number,
    answer: { allowance: Allowance; retryAfter: string | undefined; fromEdge: boolean },
  ): PageOutcome {
    const standing = this.#standing;
    const now = this.#options.now();
    const waitMs = retryAfterMs(answer.retryAfter, now);
    switch (status) {
      case 400:
        if (query.cursor !== undefined) return { kind: 'cursor-refused' };
        return blocked(standing.queryRejected(layer, encoded));
      case 401:
        return blocked(standing.keyRefused(key.id));
      case 403:
        return blocked(standing.layerDenied(layer, now));
      case 404:
      case 405:
        return blocked(standing.pathWrong(layer));
      case 429: {
        const until =
          waitMs === undefined
            ? this.clock.toLocal(
                refusedUntil(answer.allowance, answer.fromEdge, this.clock.now(), this.#options.random),
              )
            : addMs(now, waitMs);
        return blocked(standing.holdUntil(until, 'allowance_used_up'));
      }
      default:
        if (status >= 300 && status < 400) return this.#failed(layer, 'redirected');
        if (waitMs !== undefined) return blocked(standing.holdUntil(addMs(now, waitMs), 'service_busy'));
        return this.#failed(layer, 'service_busy');
    }
  }

  #failed(layer: Layer, reason: LayerReason): PageOutcome {
    return blocked(this.#standing.failed(layer, reason, this.#options.now()));
  }
}

function blocked(block: Block): PageOutcome {
  return { kind: 'blocked', block };
}

function isErrorBody(body: string): boolean {
  try {
    return errorBodySchema.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

function isTimeout(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' || (code?.includes('TIMEOUT') ?? false);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
