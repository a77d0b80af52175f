import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Agent, type Dispatcher, request } from 'undici';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import { isErrorBody } from '#lib/contract/envelope.ts';
import { DAY_REMAINING_HEADER, MINUTE_REMAINING_HEADER, UPSTREAM_REQUEST_ID_HEADER } from '#lib/contract/operation.ts';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type AllowanceHeaders, allowanceNumber } from '../allowance/allowance-cooldown.ts';
import { countedAnswer, counts, spenderOf } from '../allowance/counts.ts';
import type { ApiKey } from './api-key.ts';
import { BodyTooLarge, boundedBytes } from './bounded-body.ts';
import type { Budget } from './budget.ts';
import type { Departure } from './probe-gate.ts';
import { PageReader, type UpstreamPage } from './read-page.ts';
import type { UpstreamClock } from './upstream-clock.ts';
import type { UpstreamRequest } from './upstream-request.ts';

const BODY_MAX_BYTES = 32 * 1024 * 1024;
/** The body of a refusal is only parsed for its form. */
const ERROR_BODY_MAX_BYTES = 64 * 1024;

export type UpstreamAnswer =
  | { readonly kind: 'page'; readonly page: UpstreamPage }
  /** The answer has the contract's error body. */
  | { readonly kind: 'refusal'; readonly reply: Reply }
  /** Another program answered, such as a proxy. */
  | { readonly kind: 'edge'; readonly reply: Reply }
  | { readonly kind: 'unusable'; readonly reason: FailureReason; readonly detail?: string };

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
  readonly send?: typeof sendRequest;
}

const UPSTREAM_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 5000,
  headersMs: 10_000,
  bodyMs: 5000,
  totalMs: 20_000,
};

/** Longer request ids of the upstream are cut. */
const LOGGED_ID_MAX_LENGTH = 100;

/** Sends one request, accounts for it, logs it, and says what kind of answer came. */
export class UpstreamExchange {
  readonly #options: UpstreamExchangeOptions;
  readonly #totalMs: number;
  readonly #dispatcher: Dispatcher;
  readonly #reader: PageReader;

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
    this.#reader = new PageReader(options.trackPrefix);
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
    await this.#reader.close();
  }

  /** @param budget whose `ready` granted this request */
  async send(request: UpstreamRequest, key: ApiKey, budget: Budget, departure: Departure): Promise<UpstreamAnswer> {
    const { baseUrl, clock, now, log, send = sendRequest } = this.#options;
    const { target, mode, layer } = request;
    const sentAt = now();
    departure.sent();
    const sent = await send(baseUrl + target, key.value, this.#dispatcher, this.#totalMs, departure.accepted);
    const receivedAt = now();
    const reply = sent.ok ? sent.reply : sent.broken.reply;
    const answer = await this.#answerOf(sent, request);
    const isOfService = answer.kind === 'page' || answer.kind === 'refusal';
    const allowance = isOfService && reply ? allowanceOf(reply) : NO_ALLOWANCE;
    if (answer.kind === 'page') clock.sample(answer.page.generatedAt, sentAt, receivedAt);
    const isUnsent = !sent.ok && sent.broken.isUnsent;
    // Quota rules, 3: refused keys and layers consume nothing.
    const counted = !(isUnsent || (answer.kind === 'refusal' && (reply?.status === 401 || reply?.status === 403)));
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
      ...request.logged,
      key: key.id,
      status: reply?.status,
      // The id is not sent: the agreement has no id of a request.
      outgoing_id: randomUUID(),
      request_id: requestId,
      operator,
      area: refresh?.area,
      refresh: refresh?.number,
      purpose: budget.spending,
      upstream_request_id: reply?.header(UPSTREAM_REQUEST_ID_HEADER)?.slice(0, LOGGED_ID_MAX_LENGTH),
      cost: counted ? 1 : 0,
      ...allowance,
      took_ms: msBetween(sentAt, receivedAt),
    };

    const { upstreamSeconds, spent, today } = counts();
    if (counted) spent[budget.spending][spenderOf(operator)]++;
    if (counted && operator !== undefined) today.add(operator, budget.spending, clock.now());
    const took = (label: string) => upstreamSeconds.observe({ mode, answer: label }, entry.took_ms / SECOND_MS);
    switch (answer.kind) {
      case 'page': {
        const { positions, unreadable, unreadableValues } = answer.page;
        took('200');
        log.info(
          { ...entry, records: positions.length, unreadable, unreadable_values: unreadableValues },
          'upstream answered',
        );
        return answer;
      }
      case 'refusal':
        took(countedAnswer(answer.reply.status));
        log.warn(entry, 'upstream refused');
        return answer;
      case 'edge':
        took(answer.reply.status === 200 ? 'service_unreachable' : countedAnswer(answer.reply.status));
        log.warn({ ...entry, reason: 'service_unreachable' }, 'the answer is not the upstream’s');
        return answer;
      case 'unusable': {
        const { reason, detail } = answer;
        took(reason);
        log.warn({ ...entry, reason, detail }, 'upstream gave no usable answer');
        return answer;
      }
    }
  }

  async #answerOf(sent: Awaited<ReturnType<typeof sendRequest>>, request: UpstreamRequest): Promise<UpstreamAnswer> {
    if (!sent.ok) return { kind: 'unusable', reason: sent.broken.reason, detail: sent.broken.detail };
    const { reply } = sent;
    if (reply.status !== 200) {
      const isRefusal = reply.status >= 400 && isErrorBody(reply.body.toString('utf8'));
      return { kind: isRefusal ? 'refusal' : 'edge', reply };
    }
    const read = await this.#reader.read(reply.body, request);
    if (read.kind === 'page') return read;
    return read.reason === 'service_unreachable' ? { kind: 'edge', reply } : { kind: 'unusable', reason: read.reason };
  }
}

const NO_ALLOWANCE: AllowanceHeaders = { minuteRemaining: undefined, dayRemaining: undefined };

function allowanceOf({ header }: Omit<Reply, 'body'>): AllowanceHeaders {
  return {
    minuteRemaining: allowanceNumber(header(MINUTE_REMAINING_HEADER)),
    dayRemaining: allowanceNumber(header(DAY_REMAINING_HEADER)),
  };
}

export interface Reply {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** The body: whole for a 200; otherwise empty where it is cut off or longer than `ERROR_BODY_MAX_BYTES`. */
  readonly body: Buffer<ArrayBuffer>;
}

interface BrokenReply {
  readonly reason: Extract<
    FailureReason,
    'service_timeout' | 'service_unreachable' | 'answer_unreadable' | 'answer_too_large'
  >;
  readonly detail: string;
  readonly reply: Omit<Reply, 'body'> | undefined;
  /** No connection was made, so the upstream cannot have counted the request. */
  readonly isUnsent: boolean;
}

/**
 * Sends a request, and follows no redirects.
 * @param totalMs of the whole exchange
 * @param onAccepted called on status 200, before the body
 */
export async function sendRequest(
  url: string,
  key: string,
  dispatcher: Dispatcher,
  totalMs: number,
  onAccepted: () => void,
): Promise<{ readonly ok: true; readonly reply: Reply } | { readonly ok: false; readonly broken: BrokenReply }> {
  let reply: Omit<Reply, 'body'> | undefined;
  try {
    const response = await request(url, {
      dispatcher,
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json',
        // Without it any encoding is allowed (RFC 9110, 12.5.3), and an encoded body's size is not bounded.
        'accept-encoding': 'identity',
        'user-agent': 'lookout',
      },
      signal: AbortSignal.timeout(totalMs),
    });
    reply = {
      status: response.statusCode,
      header: (name) => [response.headers[name] ?? []].flat()[0],
    };
    if (response.statusCode !== 200) {
      const body = await boundedBytes(response.body, ERROR_BODY_MAX_BYTES).catch(() => Buffer.alloc(0));
      return { ok: true, reply: { ...reply, body } };
    }
    onAccepted();
    return { ok: true, reply: { ...reply, body: await boundedBytes(response.body, BODY_MAX_BYTES) } };
  } catch (error) {
    const broke = reply === undefined ? 'service_unreachable' : 'answer_unreadable';
    const reason = error instanceof BodyTooLarge ? 'answer_too_large' : isTimeout(error) ? 'service_timeout' : broke;
    return { ok: false, broken: { reason, detail: String(error), reply, isUnsent: isUnsent(error) } };
  }
}

/** Whether the host's name was not found, or no connection to it was made. */
function isUnsent(error: unknown): boolean {
  const { code, syscall } = error as { code?: string; syscall?: string };
  return code === 'UND_ERR_CONNECT_TIMEOUT' || syscall === 'connect' || syscall === 'getaddrinfo';
}

function isTimeout(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' || (code?.includes('TIMEOUT') ?? false);
}
