import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Agent, type Dispatcher } from 'undici';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import { DAY_REMAINING_HEADER, MINUTE_REMAINING_HEADER, REQUEST_ID_HEADER } from '#lib/contract/operation.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type AllowanceHeaders, allowanceNumber } from '../allowance/allowance-cooldown.ts';
import { countedAnswer, counts, spenderOf } from '../counts/counts.ts';
import type { ApiKey } from './api-key.ts';
import type { Budget } from './budget.ts';
import type { Departure } from './probe-gate.ts';
import { makePageReader, type Page, type PageReader } from './read-page.ts';
import { type Reply, sendRequest } from './send-request.ts';
import type { UpstreamClock } from './upstream-clock.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** What the upstream returned. */
export type UpstreamAnswer =
  | { readonly kind: 'page'; readonly page: Page }
  /** A status other than 200. */
  | { readonly kind: 'refusal'; readonly reply: Reply; readonly allowance: AllowanceHeaders }
  /** Nothing, or nothing usable. */
  | { readonly kind: 'unusable'; readonly reason: FailureReason };

/** Separate limits: connecting, waiting for the headers, a pause in the body, and the whole request. */
interface UpstreamTimeouts {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly totalMs: number;
}

export interface UpstreamExchangeOptions {
  readonly baseUrl: string;
  readonly trackPrefix: string | undefined;
  readonly clock: UpstreamClock;
  readonly now: () => LocalInstant;
  readonly log: Logger;
  readonly timeouts?: UpstreamTimeouts;
}

const UPSTREAM_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 5000,
  headersMs: 10_000,
  bodyMs: 5000,
  totalMs: 20_000,
};

/** Whatever an upstream calls its answers. */
const LOGGED_ID_MAX_LENGTH = 100;

/** Sends one request, parses its answer, and records both in its budget and in the log. `clock` learns the upstream's time. */
export class UpstreamExchange {
  readonly #options: UpstreamExchangeOptions;
  readonly #totalMs: number;
  readonly #dispatcher: Dispatcher;
  readonly #readPage: PageReader;

  /** @param connections maximum number of open connections */
  constructor(options: UpstreamExchangeOptions, connections: number) {
    const { connectMs, headersMs, bodyMs, totalMs } = options.timeouts ?? UPSTREAM_TIMEOUTS;
    this.#options = options;
    this.#totalMs = totalMs;
    this.#dispatcher = new Agent({
      connections,
      connect: { timeout: connectMs },
      headersTimeout: headersMs,
      bodyTimeout: bodyMs,
    });
    this.#readPage = makePageReader(options.trackPrefix);
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  /** @param budget whose `ready` granted this request */
  async send(
    { target, mode, layer, logged: parameters }: UpstreamRequest,
    key: ApiKey,
    budget: Budget,
    departure: Departure,
  ): Promise<UpstreamAnswer> {
    const { baseUrl, clock, now, log } = this.#options;
    const sentAt = now();
    departure.sent();
    const sent = await sendRequest(baseUrl + target, key.value, this.#dispatcher, this.#totalMs, departure.accepted);
    const receivedAt = now();
    const reply = sent.ok ? sent.reply : sent.broken.reply;
    const allowance: AllowanceHeaders = {
      minuteRemaining: allowanceNumber(reply?.header(MINUTE_REMAINING_HEADER)),
      dayRemaining: allowanceNumber(reply?.header(DAY_REMAINING_HEADER)),
    };
    const page = sent.ok && sent.reply.status === 200 ? this.#readPage(sent.reply.body, mode, layer) : undefined;
    if (page) clock.sample(page.generatedAt, sentAt, receivedAt);
    // Quota rules, 3: refused keys and layers consume nothing. Anything not known to be free is counted.
    const counted = reply?.status !== 401 && reply?.status !== 403;
    await budget.attempted({
      counted,
      ...allowance,
      sentAt: clock.fromLocal(sentAt),
      receivedAt: clock.fromLocal(receivedAt),
    });
    const { operator, requestId, refresh } = budget.cause;
    const entry = {
      layer,
      mode,
      ...parameters,
      key: key.id,
      status: reply?.status,
      // Not sent: the agreement has an id of the answer, and none of the request.
      outgoing_id: randomUUID(),
      request_id: requestId,
      operator,
      area: refresh?.area,
      refresh: refresh?.number,
      purpose: budget.spending,
      upstream_request_id: reply?.header(REQUEST_ID_HEADER)?.slice(0, LOGGED_ID_MAX_LENGTH),
      cost: counted ? 1 : 0,
      ...allowance,
      took_ms: msBetween(sentAt, receivedAt),
    };

    const { upstreamSeconds, spent, today } = counts();
    if (counted) spent[budget.spending][spenderOf(operator)]++;
    if (counted && operator !== undefined) today.add(operator, budget.spending, clock.now());
    const took = (answer: string) => upstreamSeconds.observe({ mode, answer }, entry.took_ms / SECOND_MS);
    if (!sent.ok) {
      took(sent.broken.reason);
      const { reason, detail } = sent.broken;
      log.warn({ ...entry, reason, detail }, 'upstream gave no usable answer');
      return { kind: 'unusable', reason };
    }
    if (sent.reply.status !== 200) {
      took(countedAnswer(sent.reply.status));
      log.warn(entry, 'upstream refused');
      return { kind: 'refusal', reply: sent.reply, allowance };
    }
    if (!page) {
      took('answer_unreadable');
      log.warn({ ...entry, reason: 'answer_unreadable' }, 'upstream answer could not be read');
      return { kind: 'unusable', reason: 'answer_unreadable' };
    }
    took('200');
    log.info({ ...entry, records: page.positions.length, unreadable: page.unreadable }, 'upstream answered');
    return { kind: 'page', page };
  }
}
