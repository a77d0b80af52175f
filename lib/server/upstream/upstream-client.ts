import 'server-only';
import PQueue from 'p-queue';
import type { Logger } from 'pino';
import { Agent, type Dispatcher } from 'undici';
import type { LayerReason } from '#lib/api/layer-reason.ts';
import { LOOKBACK_LEAST_MS } from '#lib/contract/limits.ts';
import {
  DAY_REMAINING_HEADER,
  type Layer,
  MINUTE_REMAINING_HEADER,
  type OperationId,
  REQUEST_ID_HEADER,
} from '#lib/contract/operation.ts';
import { nextUtcMidnight } from '#lib/time/calendar-edge.ts';
import { addMs, type Instant } from '#lib/time/instant.ts';
import type { Ledger, Reserved } from '../ports/ledger.ts';
import { unlessAborted, withinMs } from '../unless-aborted.ts';
import { type Allowance, allowanceNumber, dayUsedUpUntil, refusedUntil } from './allowance-hold.ts';
import type { ApiKey, ApiKeySource } from './api-key.ts';
import type { Budget } from './budget.ts';
import { isErrorBody } from './is-error-body.ts';
import { type Departure, ProbeGate } from './probe-gate.ts';
import { type HistoryPageQuery, historyQuestion, type LivePageQuery, liveQuestion, type Question } from './question.ts';
import { makePageReader, type Page, type PageReader } from './read-page.ts';
import { retryAfterMs } from './retry-after.ts';
import { type Reply, sendRequest } from './send-request.ts';
import { type Block, Standing } from './standing.ts';
import { UpstreamClock } from './upstream-clock.ts';

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
  readonly ledger: Ledger;
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
/** How long to wait for somebody else's request that finds out what is left of the allowance. */
const OTHERS_PROBE_MS = 250;

/**
 * Asks the upstream one page at a time. It never asks while the upstream has told us not to, follows no redirect, sends no
 * header of the browser's, and turns everything that can go wrong into a reason. Every request is paid from a budget; where
 * that has nothing, none is made.
 */
export class UpstreamClient {
  readonly clock: UpstreamClock;
  readonly standing: Standing;
  readonly #options: UpstreamClientOptions;
  readonly #timeouts: UpstreamTimeouts;
  readonly #dispatcher: Dispatcher;
  readonly #queue = new PQueue({ concurrency: MOST_IN_FLIGHT });
  readonly #readPage: PageReader;
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #gate: ProbeGate;

  constructor(options: UpstreamClientOptions) {
    this.#options = options;
    this.#timeouts = options.timeouts ?? UPSTREAM_TIMEOUTS;
    this.#dispatcher = new Agent({
      connections: MOST_IN_FLIGHT,
      connect: { timeout: this.#timeouts.connectMs },
      headersTimeout: this.#timeouts.headersMs,
      bodyTimeout: this.#timeouts.bodyMs,
    });
    this.standing = new Standing(options.random);
    this.#gate = new ProbeGate(options.now);
    this.#readPage = makePageReader(options.trackPrefix);
    this.clock = new UpstreamClock(options.now);
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  isKeyRefused(): boolean {
    const key = this.#key();
    return key === undefined || this.standing.isKeyRefused(key.id);
  }

  /** @throws Error where our own query breaks the contract: a defect, which never leaves */
  async livePage(layer: Layer, query: LivePageQuery, budget: Budget): Promise<PageOutcome> {
    return this.#ask(liveQuestion(layer, query, this.#options.trackPrefix), budget);
  }

  /**
   * All that one request gives of a past window, `truncated` where that is not everything.
   * @param signal where it is aborted before the request leaves, none is made; one that has left is read to its end
   * @throws the signal's reason, as soon as it is aborted while the request has not left
   * @throws Error where our own query breaks the contract
   */
  async historyPage(layer: Layer, query: HistoryPageQuery, budget: Budget, signal: AbortSignal): Promise<PageOutcome> {
    return this.#ask(historyQuestion(layer, query, this.clock.now()), budget, signal);
  }

  async #ask(asked: Question, budget: Budget, signal?: AbortSignal): Promise<PageOutcome> {
    const { operation, mode } = asked;
    let acceptedKeyId: string | undefined;
    for (;;) {
      signal?.throwIfAborted();
      const key = this.#key();
      if (!key) return blocked({ reason: 'key_refused', until: undefined });
      const block = this.#blocked(asked, key);
      if (block) return blocked(block);
      const ahead = this.#gate.ahead({ operation, mode, keyId: key.id }, acceptedKeyId);
      if (ahead !== undefined) {
        acceptedKeyId = await unlessAborted(ahead, signal);
        continue;
      }
      const isProven = this.standing.isProven(operation);
      const outcome = await this.#gate.leave({ operation, mode, keyId: key.id, isProven }, async (departure) => {
        const refused = await budget.ready(this.clock.now());
        if (refused?.why === 'probing') return 'probing';
        if (refused) return blocked(this.#notGranted(refused));
        return this.#track(this.#inTurn(() => this.#send(asked, key, budget, departure), signal));
      });
      if (outcome !== 'probing') return outcome;
      await withinMs(Promise.race(this.#inFlight), OTHERS_PROBE_MS, signal);
    }
  }

  #blocked({ operation, target, start }: Question, key: ApiKey): Block | undefined {
    const now = this.#options.now();
    const block = this.standing.blocked(operation, target, key.id, now);
    return block ?? (start === undefined ? undefined : this.standing.beyondLookback(operation, start, now));
  }

  /** Where the whole day is used up, everybody comes back at midnight: we a little later, and not all at once. */
  #notGranted({ why, until }: Extract<Reserved, { kind: 'refused' }>): Block {
    const now = this.clock.now();
    const isWholeDay = why === 'day' && until !== undefined && until >= nextUtcMidnight(now);
    const ends = isWholeDay ? dayUsedUpUntil(now, this.#options.random) : until;
    return { reason: 'allowance_used_up', until: ends && this.clock.toLocal(ends) };
  }

  /** A request that is given up leaves the queue; one that has left is paid, and read to its end. */
  async #inTurn<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const waiting = new AbortController();
    const giveUp = () => waiting.abort(signal?.reason);
    const stopListening = () => signal?.removeEventListener('abort', giveUp);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await this.#queue.add(
        () => {
          stopListening();
          return send();
        },
        { signal: waiting.signal },
      );
    } finally {
      stopListening();
    }
  }

  #track<T>(request: Promise<T>): Promise<T> {
    const settled = request.then(
      () => undefined,
      () => undefined,
    );
    this.#inFlight.add(settled);
    void settled.then(() => this.#inFlight.delete(settled));
    return request;
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

  async #send(asked: Question, key: ApiKey, budget: Budget, departure: Departure): Promise<PageOutcome> {
    const { baseUrl, now, log } = this.#options;
    const { operation, mode, layer, target } = asked;
    // Something may have been refused while this request waited for its turn.
    const block = this.#blocked(asked, key);
    if (block) return blocked(block);

    const sentAt = now();
    departure.sent();
    const sent = await sendRequest(baseUrl + target, key.value, this.#dispatcher, this.#timeouts.totalMs, () =>
      departure.accepted(),
    );
    const receivedAt = now();
    const reply = sent.ok ? sent.reply : sent.broken.reply;
    const allowance: Allowance = {
      minuteRemaining: allowanceNumber(reply?.header(MINUTE_REMAINING_HEADER)),
      dayRemaining: allowanceNumber(reply?.header(DAY_REMAINING_HEADER)),
    };
    const page = sent.ok && sent.reply.status === 200 ? this.#readPage(sent.reply.body, mode, layer) : undefined;
    if (page) this.clock.sample(page.generatedAt, sentAt, receivedAt);
    // Quota rules, 3: refused keys and layers consume nothing. Whatever is not known to be free is counted.
    const counted = reply?.status !== 401 && reply?.status !== 403;
    await budget.attempted({
      counted,
      ...allowance,
      sentAt: this.clock.fromLocal(sentAt),
      receivedAt: this.clock.fromLocal(receivedAt),
    });
    const entry = {
      layer,
      mode,
      ...asked.logged,
      key: key.id,
      status: reply?.status,
      request_id: reply?.header(REQUEST_ID_HEADER),
      cost: counted ? 1 : 0,
      ...allowance,
      took_ms: receivedAt - sentAt,
    };

    if (!sent.ok) {
      const { reason, detail } = sent.broken;
      log.warn({ ...entry, reason, detail }, 'upstream gave no usable answer');
      return this.#failed(operation, reason);
    }
    if (sent.reply.status !== 200) {
      log.warn(entry, 'upstream refused');
      const refused = this.#refused(asked, key, sent.reply, allowance);
      const heldUntil = this.standing.heldUntil(now());
      if (heldUntil !== undefined) await this.#options.ledger.holdUntil(this.clock.fromLocal(heldUntil));
      return refused;
    }
    if (!page) {
      log.warn({ ...entry, reason: 'answer_unreadable' }, 'upstream answer could not be read');
      return this.#failed(operation, 'answer_unreadable');
    }
    this.standing.accepted(operation);
    log.info({ ...entry, records: page.positions.length, unreadable: page.unreadable }, 'upstream answered');
    return { kind: 'page', page };
  }

  #refused(
    { operation, target, isPaged, start }: Question,
    key: ApiKey,
    reply: Reply,
    allowance: Allowance,
  ): PageOutcome {
    const { standing } = this;
    const { now, random } = this.#options;
    // A date is the upstream's, and so is the clock that it is read against.
    const waitMs = retryAfterMs(reply.header('retry-after'), this.clock.now());
    const { status } = reply;
    switch (status) {
      case 400:
        return isPaged ? { kind: 'cursor-refused' } : blocked(standing.queryRejected(target));
      case 401:
        return blocked(standing.keyRefused(key.id));
      case 403:
        // Any lookback is a day at least (Authentication): what is younger is refused for want of approval.
        return start !== undefined && start < this.clock.now() - LOOKBACK_LEAST_MS
          ? blocked(standing.lookbackEnded(operation, start, now()))
          : blocked(standing.operationDenied(operation, now()));
      case 404:
      case 405:
        return blocked(standing.pathWrong(operation));
      case 429: {
        const until =
          waitMs === undefined
            ? this.clock.toLocal(refusedUntil(allowance, !isErrorBody(reply.body), this.clock.now(), random))
            : addMs(now(), waitMs);
        return blocked(standing.holdUntil(until, 'allowance_used_up'));
      }
      default:
        if (status >= 300 && status < 400) return this.#failed(operation, 'redirected');
        if (waitMs !== undefined) return blocked(standing.holdUntil(addMs(now(), waitMs), 'service_busy'));
        return this.#failed(operation, 'service_busy');
    }
  }

  #failed(operation: OperationId, reason: LayerReason): PageOutcome {
    return blocked(this.standing.failed(operation, reason, this.#options.now()));
  }
}

function blocked(block: Block): PageOutcome {
  return { kind: 'blocked', block };
}
