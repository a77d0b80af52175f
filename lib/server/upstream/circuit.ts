import 'server-only';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import { OPERATION_IDS, type OperationId } from '#lib/contract/operation.ts';
import { addMs, type LocalInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Spending } from '../allowance/ledger.ts';
import type { Cooldown, TimedCooldown } from './cooldown.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** How often a refused key is tried again: it may be accepted after all, for example when its grant was extended. */
export const KEY_RECHECK_MS = HOUR_MS;
/** How often a denied operation is checked again: an approval takes people, and hours. */
export const DENIED_RECHECK_MS = 15 * MINUTE_MS;
const BACKOFF_FIRST_MS = 2000;
const BACKOFF_MAX_MS = MINUTE_MS;
/** How often it is tried again whether what is spent can be kept: at a disk, and at a store whose connection says at once that it is gone. */
const STORAGE_RECHECK_MS = { storage_failed: 5000, database_lost: 1000 } as const;
/** Rejected queries are our own defects, so there are few; the limit bounds the memory if there are many. */
const MAX_REJECTED_QUERIES = 1000;

/** The state of one operation. */
export type OperationState =
  /** Half open: the next request is a probe. */
  | { readonly kind: 'unproven' }
  | { readonly kind: 'proven' }
  /** The latest requests, `failures` of them, had no usable answer. Half open after the cooldown. */
  | { readonly kind: 'failing'; readonly failures: number; readonly cooldown: TimedCooldown }
  | { readonly kind: 'denied'; readonly cooldown: TimedCooldown }
  /** The upstream does not know the path; waiting does not help. */
  | { readonly kind: 'wrong-path' };

/** A task that needs requests of one operation: the refresh of an area, or a part of the past. */
export interface Work {
  readonly operation: OperationId;
  readonly spending: Spending;
  /** Requests to reserve together before the first one, at least 1. */
  readonly requests: number;
}

const UNPROVEN: OperationState = { kind: 'unproven' };
const REQUEST_REJECTED: Cooldown = { kind: 'latched', reason: 'request_rejected' };

/**
 * Records refusals: the upstream's, and the ledger's when the allowance is used up. Callers check `mayRequest`, which reads them
 * here, before they send or schedule a request. So each refusal is met only once until something changes.
 */
export class Circuit {
  readonly #random: () => number;
  /** ServiceData beyond `until`, until a usable answer shows the key to be good. */
  #refusedKey: { readonly id: string; readonly until: LocalInstant } | undefined;
  /** Requested by the upstream for the whole account. */
  #pause: TimedCooldown | undefined;
  /** Set while spending cannot be stored. */
  #storage: TimedCooldown | undefined;
  readonly #operations = new Map<OperationId, OperationState>();
  readonly #lookback = new Map<OperationId, { readonly begins: UpstreamInstant; readonly until: LocalInstant }>();
  readonly #rejectedQueries = new Set<string>();
  /** The ledger's refusals. Each blocks work of the same purpose that needs as many requests or more. */
  #shortages: readonly (Omit<Work, 'operation'> & { readonly cooldown: TimedCooldown })[] = [];

  /** @param random uniform in [0, 1) */
  constructor(random: () => number) {
    this.#random = random;
  }

  /**
   * The upstream's or the ledger's refusal that blocks this task or this request; `undefined` if it may start. A
   * request of a task that has started already has its allowance.
   */
  cooldown(wanted: Work | UpstreamRequest, now: LocalInstant): Cooldown | undefined {
    return (
      this.#operationCooldown(wanted.operation, now) ??
      ('target' in wanted ? this.#requestCooldown(wanted, now) : this.#shortage(wanted, now))
    );
  }

  #operationCooldown(operation: OperationId, now: LocalInstant): Cooldown | undefined {
    if (this.#refusedKey && now < this.#refusedKey.until)
      return { kind: 'timed', reason: 'key_refused', until: this.#refusedKey.until };
    const state = this.operation(operation, now);
    if (state.kind === 'denied') return state.cooldown;
    if (state.kind === 'wrong-path') return REQUEST_REJECTED;
    if (this.#pause && isRunning(this.#pause, now)) return this.#pause;
    if (this.#storage && isRunning(this.#storage, now)) return this.#storage;
    return state.kind === 'failing' && isRunning(state.cooldown, now) ? state.cooldown : undefined;
  }

  #requestCooldown(request: UpstreamRequest, now: LocalInstant): Cooldown | undefined {
    if (this.#rejectedQueries.has(request.target)) return REQUEST_REJECTED;
    if (request.mode === 'live') return undefined;
    const known = this.#lookback.get(request.operation);
    if (!known || now >= known.until || request.start > known.begins) return undefined;
    return { kind: 'timed', reason: 'outside_lookback', until: known.until };
  }

  #shortage({ spending, requests }: Work, now: LocalInstant): Cooldown | undefined {
    const short = this.#shortages.filter(
      (each) => each.spending === spending && each.requests <= requests && isRunning(each.cooldown, now),
    );
    return short.reduce<TimedCooldown | undefined>((latest, { cooldown }) => later(latest, cooldown), undefined);
  }

  /** State of the operation alone, apart from key, account and allowance. */
  operation(operation: OperationId, now: LocalInstant): OperationState {
    const state = this.#operations.get(operation) ?? UNPROVEN;
    return state.kind === 'denied' && !isRunning(state.cooldown, now) ? UNPROVEN : state;
  }

  get isKeyRefused(): boolean {
    return this.#refusedKey !== undefined;
  }

  /** Requests use this key from now on. */
  switchKey(keyId: string): void {
    if (this.#refusedKey === undefined || this.#refusedKey.id === keyId) return;
    this.#refusedKey = undefined;
    // Answers to the old key that came after its refusal say nothing about the new one.
    this.#doubtAll();
  }

  /** Lets a denied operation be tried again at once, at an operator's request. */
  forgetDenial(operation: OperationId): void {
    if (this.#operations.get(operation)?.kind === 'denied') this.#operations.set(operation, UNPROVEN);
  }

  /**
   * Records a usable answer. It does not end a pause of the account: the request may have been sent before the pause. Nor does
   * it end the refusal of the key before that is checked again.
   * @returns whether the key was refused until now
   */
  accepted(operation: OperationId, now: LocalInstant): boolean {
    const isKeyGoodAgain = this.#refusedKey !== undefined && now >= this.#refusedKey.until;
    if (isKeyGoodAgain) this.#refusedKey = undefined;
    if (this.#operations.get(operation)?.kind !== 'wrong-path') this.#operations.set(operation, { kind: 'proven' });
    return isKeyGoodAgain;
  }

  /** @param until a request with this key may be sent again then */
  keyRefused(keyId: string, until: LocalInstant): Cooldown {
    this.#refusedKey = { id: keyId, until };
    this.#doubtAll();
    return { kind: 'timed', reason: 'key_refused', until };
  }

  /** Lets a refused key be tried again at once. */
  retryKey(now: LocalInstant): void {
    if (this.#refusedKey) this.#refusedKey = { ...this.#refusedKey, until: now };
  }

  /** Lets callers ask the ledger again for refused requests: it may know more by now. */
  forgetShortages(): void {
    this.#shortages = [];
  }

  operationDenied(operation: OperationId, now: LocalInstant): Cooldown {
    const cooldown: TimedCooldown = {
      kind: 'timed',
      reason: 'layer_not_approved',
      until: addMs(now, DENIED_RECHECK_MS),
    };
    if (this.#operations.get(operation)?.kind !== 'wrong-path')
      this.#operations.set(operation, { kind: 'denied', cooldown });
    return cooldown;
  }

  /**
   * Records that the account's history does not reach back to `start`: windows that start then or earlier are blocked.
   * @param start of the refused window
   */
  lookbackEnded(operation: OperationId, start: UpstreamInstant, now: LocalInstant): Cooldown {
    const until = addMs(now, DENIED_RECHECK_MS);
    const known = this.#lookback.get(operation);
    const begins = known && now < known.until && known.begins > start ? known.begins : start;
    this.#lookback.set(operation, { begins, until });
    this.#doubt(operation);
    return { kind: 'timed', reason: 'outside_lookback', until };
  }

  pathWrong(operation: OperationId): Cooldown {
    this.#operations.set(operation, { kind: 'wrong-path' });
    return REQUEST_REJECTED;
  }

  queryRejected({ target }: UpstreamRequest): Cooldown {
    if (this.#rejectedQueries.size >= MAX_REJECTED_QUERIES) this.#rejectedQueries.clear();
    this.#rejectedQueries.add(target);
    return REQUEST_REJECTED;
  }

  /** Blocks every request until then, as the upstream demanded. Never shortened by a later answer. */
  pauseUntil(until: LocalInstant, reason: FailureReason): TimedCooldown {
    this.#pause = later(this.#pause, { kind: 'timed', reason, until });
    this.#doubtAll();
    return this.#pause;
  }

  /** Records that the ledger could not be written: no request is sent for a while. */
  storageFailed(reason: keyof typeof STORAGE_RECHECK_MS, now: LocalInstant): Cooldown {
    this.#storage = { kind: 'timed', reason, until: addMs(now, STORAGE_RECHECK_MS[reason]) };
    return this.#storage;
  }

  /** Records an unusable answer: bounded exponential backoff with full jitter before the operation's next request. */
  failed(operation: OperationId, reason: FailureReason, now: LocalInstant): Cooldown {
    const state = this.operation(operation, now);
    const failures = state.kind === 'failing' ? state.failures : 0;
    const ceilingMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(failures, 10));
    const cooldown: TimedCooldown = {
      kind: 'timed',
      reason,
      until: addMs(now, Math.round(ceilingMs * this.#random())),
    };
    // A late failure does not replace a refusal.
    if (state.kind !== 'denied' && state.kind !== 'wrong-path') {
      this.#operations.set(operation, { kind: 'failing', failures: failures + 1, cooldown });
    }
    return cooldown;
  }

  /** Records that the ledger does not have that many requests for this purpose until then. */
  allowanceUsedUp({ spending, requests }: Omit<Work, 'operation'>, until: LocalInstant, now: LocalInstant): Cooldown {
    const cooldown: TimedCooldown = { kind: 'timed', reason: 'allowance_used_up', until };
    const others = this.#shortages.filter(
      (each) =>
        isRunning(each.cooldown, now) &&
        !(each.spending === spending && each.requests >= requests && each.cooldown.until <= until),
    );
    this.#shortages = [...others, { spending, requests, cooldown }];
    return cooldown;
  }

  #doubtAll(): void {
    for (const operation of OPERATION_IDS) this.#doubt(operation);
  }

  #doubt(operation: OperationId): void {
    if (this.#operations.get(operation)?.kind === 'proven') this.#operations.set(operation, UNPROVEN);
  }
}

function isRunning({ until }: TimedCooldown, now: LocalInstant): boolean {
  return now < until;
}

function later(one: TimedCooldown | undefined, other: TimedCooldown): TimedCooldown {
  return one && one.until >= other.until ? one : other;
}
