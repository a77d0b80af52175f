import 'server-only';
import { errorBodySchema } from '#lib/contract/error-body.ts';
import { LOOKBACK_MIN_MS } from '#lib/contract/limits.ts';
import { addMs, type LocalInstant } from '#lib/time/instant.ts';
import { refusedUntil } from '../allowance/allowance-cooldown.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Circuit } from './circuit.ts';
import type { Cooldown } from './cooldown.ts';
import type { Page } from './read-page.ts';
import { retryAfterMs } from './retry-after.ts';
import type { UpstreamClock } from './upstream-clock.ts';
import type { UpstreamAnswer } from './upstream-exchange.ts';
import type { UpstreamRequest } from './upstream-request.ts';

export type PageOutcome =
  | { readonly kind: 'page'; readonly page: Page }
  /** The upstream rejected the cursor: the refresh may start again without one. */
  | { readonly kind: 'cursor-refused' }
  /** No page, and why. */
  | { readonly kind: 'blocked'; readonly cooldown: Cooldown };

export interface OutcomeOptions {
  readonly circuit: Circuit;
  readonly ledger: Ledger;
  readonly clock: UpstreamClock;
  readonly now: () => LocalInstant;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** What an answer means for its own request. What it means for all others is recorded in the circuit. */
export async function pageOutcome(
  answer: UpstreamAnswer,
  request: UpstreamRequest,
  keyId: string,
  options: OutcomeOptions,
): Promise<PageOutcome> {
  const { circuit, now } = options;
  switch (answer.kind) {
    case 'page':
      circuit.accepted(request.operation);
      return { kind: 'page', page: answer.page };
    case 'unusable':
      return { kind: 'blocked', cooldown: circuit.failed(request.operation, answer.reason, now()) };
    case 'refusal':
      if (answer.reply.status === 400 && request.mode === 'live' && request.isPaged) return { kind: 'cursor-refused' };
      return { kind: 'blocked', cooldown: await afterRefusal(answer, request, keyId, options) };
  }
}

async function afterRefusal(
  { reply, allowance }: Extract<UpstreamAnswer, { kind: 'refusal' }>,
  request: UpstreamRequest,
  keyId: string,
  { circuit, ledger, clock, now, random }: OutcomeOptions,
): Promise<Cooldown> {
  const { operation } = request;
  const pauseUntil = async (until: LocalInstant, reason: 'allowance_used_up' | 'service_busy') => {
    const pause = circuit.pauseUntil(until, reason);
    // The ledger keeps the pause over restarts, and shares it with other processes.
    await ledger.pauseUntil(clock.fromLocal(pause.until));
    return pause;
  };
  const waitMs = retryAfterMs(reply.header('retry-after'), clock.now());
  switch (reply.status) {
    case 400:
      return circuit.queryRejected(request);
    case 401:
      return circuit.keyRefused(keyId);
    case 403:
      // Every lookback is at least a day (Authentication): a younger window is refused for lack of approval.
      return request.mode === 'history' && request.start < addMs(clock.now(), -LOOKBACK_MIN_MS)
        ? circuit.lookbackEnded(operation, request.start, now())
        : circuit.operationDenied(operation, now());
    case 404:
    case 405:
      return circuit.pathWrong(operation);
    case 429: {
      const until =
        waitMs === undefined
          ? clock.toLocal(refusedUntil(allowance, !isErrorBody(reply.body), clock.now(), random))
          : addMs(now(), waitMs);
      return pauseUntil(until, 'allowance_used_up');
    }
    default:
      if (reply.status >= 300 && reply.status < 400) return circuit.failed(operation, 'redirected', now());
      if (waitMs !== undefined) return pauseUntil(addMs(now(), waitMs), 'service_busy');
      return circuit.failed(operation, 'service_busy', now());
  }
}

/** Whether the service itself refused; an answer of the network edge has another form. */
function isErrorBody(body: string): boolean {
  try {
    return errorBodySchema.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}
