import 'server-only';
import { LOOKBACK_MIN_MS } from '#lib/contract/limits.ts';
import { addMs, epochMs, type LocalInstant } from '#lib/time/instant.ts';
import { retryAfterMs } from '#lib/time/retry-after.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { EDGE_PAUSE_MS, refusedUntil } from '../allowance/allowance-cooldown.ts';
import type { Ledger, PauseReason } from '../allowance/ledger.ts';
import { type Circuit, KEY_RECHECK_MS } from './circuit.ts';
import type { Cooldown } from './cooldown.ts';
import type { UpstreamPage } from './read-page.ts';
import type { UpstreamClock } from './upstream-clock.ts';
import type { Reply, UpstreamAnswer } from './upstream-exchange.ts';
import type { UpstreamRequest } from './upstream-request.ts';

export type PageOutcome =
  | { readonly kind: 'page'; readonly page: UpstreamPage }
  /** The refresh may start again without a cursor. */
  | { readonly kind: 'cursor-refused' }
  | { readonly kind: 'blocked'; readonly cooldown: Cooldown };

export interface OutcomeOptions {
  readonly circuit: Circuit;
  readonly ledger: Ledger;
  readonly clock: UpstreamClock;
  readonly now: () => LocalInstant;
}

/**
 * Turns an answer of the upstream into the outcome of its request: a page, a refused cursor, or a cooldown. It tells the
 * circuit, and keeps pauses and refused keys in the ledger. It never sends or repeats a request.
 */
export async function pageOutcome(
  answer: UpstreamAnswer,
  request: UpstreamRequest,
  keyId: string,
  options: OutcomeOptions,
): Promise<PageOutcome> {
  const { circuit, now } = options;
  switch (answer.kind) {
    case 'page':
      if (isNothingRead(answer.page, request))
        return { kind: 'blocked', cooldown: circuit.failed(request.operation, 'answer_unreadable', now()) };
      if (circuit.accepted(request.operation, now())) await options.ledger.keepRefusedKey(undefined);
      return { kind: 'page', page: answer.page };
    case 'unusable':
      return { kind: 'blocked', cooldown: circuit.failed(request.operation, answer.reason, now()) };
    case 'edge':
      return { kind: 'blocked', cooldown: await afterEdge(answer.reply, request, options) };
    case 'refusal':
      if (answer.reply.status === 400 && request.mode === 'live' && request.isPaged) return { kind: 'cursor-refused' };
      return { kind: 'blocked', cooldown: await afterRefusal(answer, request, keyId, options) };
  }
}

/** Whether nothing of the page can be used. An unreadable part of the past is kept, as a gap. */
function isNothingRead({ isUnreadable }: UpstreamPage, request: UpstreamRequest): boolean {
  return isUnreadable && request.mode === 'live' && !request.isPaged;
}

async function afterRefusal(
  { reply }: Extract<UpstreamAnswer, { kind: 'refusal' }>,
  request: UpstreamRequest,
  keyId: string,
  options: OutcomeOptions,
): Promise<Cooldown> {
  const { circuit, clock, now } = options;
  const { operation } = request;
  const waitMs = askedWaitMs(reply, clock);
  switch (reply.status) {
    case 400:
      return circuit.queryRejected(request);
    case 401: {
      const until = addMs(now(), KEY_RECHECK_MS);
      await options.ledger.keepRefusedKey({ id: keyId, until: clock.fromLocal(until) });
      return circuit.keyRefused(keyId, until);
    }
    case 403:
      // Every lookback is at least a day (Authentication): a younger window lacks approval.
      return request.mode === 'history' && request.start < addMs(clock.now(), -LOOKBACK_MIN_MS)
        ? circuit.lookbackEnded(operation, request.start, now())
        : circuit.operationDenied(operation, now());
    case 404:
    case 405:
      return circuit.pathWrong(operation);
    case 429: {
      const until = waitMs === undefined ? clock.toLocal(refusedUntil(clock.now())) : addMs(now(), waitMs);
      return pauseUntil(until, 'allowance_used_up', options);
    }
    default:
      if (waitMs !== undefined) return pauseUntil(addMs(now(), waitMs), 'service_busy', options);
      return circuit.failed(operation, 'service_busy', now());
  }
}

/**
 * The cooldown after an answer of an edge. Only 429 and 503 say how long to wait (Errors); an edge limit may take a
 * minute.
 */
async function afterEdge(reply: Reply, request: UpstreamRequest, options: OutcomeOptions): Promise<Cooldown> {
  const { circuit, now, clock } = options;
  const { status } = reply;
  const waitMs = status === 429 || status === 503 ? askedWaitMs(reply, clock) : undefined;
  if (waitMs === undefined && status !== 429) return circuit.failed(request.operation, 'service_unreachable', now());
  return pauseUntil(addMs(now(), waitMs ?? EDGE_PAUSE_MS), 'service_unreachable', options);
}

/** A `Retry-After` that is 0, has passed or cannot be read is a minute: asking at once may exceed the allowance. */
function askedWaitMs({ header }: Reply, clock: UpstreamClock): number | undefined {
  const retryAfter = header('retry-after');
  if (retryAfter === undefined) return undefined;
  return retryAfterMs({ retryAfter, date: header('date') }, epochMs(clock.now())) || MINUTE_MS;
}

async function pauseUntil(
  until: LocalInstant,
  reason: PauseReason,
  { circuit, ledger, clock }: OutcomeOptions,
): Promise<Cooldown> {
  const pause = circuit.pauseUntil(until, reason);
  // The ledger keeps the pause over restarts, and for other processes.
  await ledger.pauseUntil(clock.fromLocal(pause.until), reason);
  return pause;
}
