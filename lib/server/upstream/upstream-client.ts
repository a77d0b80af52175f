import 'server-only';
import PQueue from 'p-queue';
import type { Logger } from 'pino';
import { Agent, type Dispatcher } from 'undici';
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
import { MinuteRoom } from './minute-room.ts';
import { makePageReader, type Page, type PageReader } from './read-page.ts';
import { retryAfterMs } from './retry-after.ts';
import { type Reply, sendRequest } from './send-request.ts';
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

const UPSTREAM_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 5000,
  headersMs: 10_000,
  bodyMs: 5000,
  totalMs: 20_000,
};
const MOST_IN_FLIGHT = 4;

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
  readonly #room = new MinuteRoom();
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
      const wait = this.#probes.get('account') ?? this.#probes.get(layer) ?? this.#room.wait(this.clock.now());
      if (wait === undefined) return this.#asProbeWhereUnproven(layer, () => this.#send(layer, encoded, query, key));
      await wait;
    }
  }

  /** Account and layer that are not known to be in order are tried by one request, for which all others wait. */
  async #asProbeWhereUnproven(layer: Layer, send: () => Promise<PageOutcome>): Promise<PageOutcome> {
    const unproven = (['account', layer] as const).filter((scope) => !this.#standing.isProven(scope));
    const outcome = this.#room.track(this.#queue.add(send));
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
    const url = `${baseUrl}${operationPath('live', layer)}?${encoded}`;
    const sent = await sendRequest(url, key.value, this.#dispatcher, this.#timeouts.totalMs);
    const reply = sent.ok ? sent.reply : sent.broken.reply;
    const allowance: Allowance = {
      minuteRemaining: allowanceNumber(reply?.header(MINUTE_REMAINING_HEADER)),
      dayRemaining: allowanceNumber(reply?.header(DAY_REMAINING_HEADER)),
    };
    const entry = {
      layer,
      mode: 'live',
      bbox: formatBbox(query.bbox),
      paged: query.cursor !== undefined,
      key: key.id,
      status: reply?.status,
      request_id: reply?.header(REQUEST_ID_HEADER),
      cost: 1,
      ...allowance,
      took_ms: now() - sentAt,
    };
    this.#room.learn(allowance.minuteRemaining, this.clock.now());

    if (!sent.ok) {
      const { reason, detail } = sent.broken;
      log.warn({ ...entry, reason, detail }, 'upstream gave no usable answer');
      return this.#failed(layer, reason);
    }
    if (sent.reply.status !== 200) {
      log.warn(entry, 'upstream refused');
      return this.#refused(layer, encoded, query, key, sent.reply, allowance);
    }
    const page = this.#readPage(sent.reply.body, 'live', layer);
    if (!page) {
      log.warn({ ...entry, reason: 'answer_unreadable' }, 'upstream answer could not be read');
      return this.#failed(layer, 'answer_unreadable');
    }
    this.clock.sample(page.generatedAt, sentAt, now());
    this.#standing.accepted(layer);
    const usedUp = usedUpUntil(allowance, this.clock.now(), this.#options.random);
    if (usedUp !== undefined) this.#standing.holdUntil(this.clock.toLocal(usedUp), 'allowance_used_up');
    log.info({ ...entry, records: page.positions.length, unreadable: page.unreadable }, 'upstream answered');
    return { kind: 'page', page };
  }

  #refused(
    layer: Layer,
    encoded: string,
    query: LivePageQuery,
    key: ApiKey,
    reply: Reply,
    allowance: Allowance,
  ): PageOutcome {
    const standing = this.#standing;
    const now = this.#options.now();
    // A date is the upstream's, and so is the clock that it is read against.
    const waitMs = retryAfterMs(reply.header('retry-after'), this.clock.now());
    const { status } = reply;
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
                refusedUntil(allowance, !isErrorBody(reply.body), this.clock.now(), this.#options.random),
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
