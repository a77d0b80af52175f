import 'server-only';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import { backOffMs, fullJitterMs } from '#lib/async/back-off.ts';
import { OPERATION_IDS, type OperationId } from '#lib/contract/operation.ts';
import { addMs, type LocalInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { Spending } from '../allowance/ledger.ts';
import type { Cooldown, TimedCooldown } from './cooldown.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** A refused key may be accepted later, for example when its grant was extended. */
export const KEY_RECHECK_MS = HOUR_MS;
/** An approval takes people, and hours. */
export const DENIED_RECHECK_MS = 15 * MINUTE_MS;
const UPSTREAM_BACK_OFF = { firstMs: 2000, maxMs: MINUTE_MS };
/** A database's connection says at once that it is gone. */
const STORAGE_RECHECK_MS = { storage_failed: 5000, database_lost: 1000 } as const;
/** Rejected queries are our own defects, so they are few. The limit bounds the memory. */
const MAX_REJECTED_QUERIES = 1000;

export type OperationState =
  /** Half open: the next request is a probe. */
  | { readonly kind: 'unproven' }
  | { readonly kind: 'proven' }
  /** `failures` in a row. Half open after the cooldown. */
  | { readonly kind: 'failing'; readonly failures: number; readonly cooldown: TimedCooldown }
  | { readonly kind: 'denied'; readonly cooldown: TimedCooldown }
  /** The path is wrong, so waiting does not help. */
  | { readonly kind: 'wrong-path' };

export interface PlannedRequests {
  readonly operation: OperationId;
  readonly spending: Spending;
  /** How many requests are reserved together before the first one, at least 1. */
  readonly requests: number;
}

const UNPROVEN: OperationState = { kind: 'unproven' };
const REQUEST_REJECTED: Cooldown = { kind: 'latched', reason: 'request_rejected' };

/** Callers check `mayRequest` before they send or schedule a request, so each refusal is met only once. */
export class Circuit {
  readonly #random: () => number;
  /** The refused key stays set beyond `until`, until a usable answer shows it to be good. */
  #refusedKey: { readonly id: string; readonly until: LocalInstant } | undefined;
  #pause: TimedCooldown | undefined;
  #storage: TimedCooldown | undefined;
  readonly #operations = new Map<OperationId, OperationState>();
  readonly #lookback = new Map<OperationId, { readonly begins: UpstreamInstant; readonly until: LocalInstant }>();
  readonly #rejectedQueries = new Set<string>();
  /** Each blocks work of its purpose that needs as many requests or more. */
  #shortages: readonly (Omit<PlannedRequests, 'operation'> & { readonly cooldown: TimedCooldown })[] = [];

  /** @param random uniform in [0, 1) */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** A request of a started task already has its allowance. */
  cooldown(wanted: PlannedRequests | UpstreamRequest, now: LocalInstant): Cooldown | undefined {
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

  #shortage({ spending, requests }: PlannedRequests, now: LocalInstant): Cooldown | undefined {
    const short = this.#shortages.filter(
      (each) => each.spending === spending && each.requests <= requests && isRunning(each.cooldown, now),
    );
    return short.reduce<TimedCooldown | undefined>((latest, { cooldown }) => later(latest, cooldown), undefined);
  }

  /** The state of an operation, apart from key, account and allowance. */
  operation(operation: OperationId, now: LocalInstant): OperationState {
    const state = this.#operations.get(operation) ?? UNPROVEN;
    return state.kind === 'denied' && !isRunning(state.cooldown, now) ? UNPROVEN : state;
  }

  get isKeyRefused(): boolean {
    return this.#refusedKey !== undefined;
  }

  switchKey(keyId: string): void {
    if (this.#refusedKey === undefined || this.#refusedKey.id === keyId) return;
    this.#refusedKey = undefined;
    // Older answers say nothing about the new key.
    this.#doubtAll();
  }

  forgetDenial(operation: OperationId): void {
    if (this.#operations.get(operation)?.kind === 'denied') this.#operations.set(operation, UNPROVEN);
  }

  /**
   * Ends neither a pause, which may be younger than the request, nor a key's refusal before its recheck.
   * @returns whether the key was refused until now
   */
  accepted(operation: OperationId, now: LocalInstant): boolean {
    const isKeyGoodAgain = this.#refusedKey !== undefined && now >= this.#refusedKey.until;
    if (isKeyGoodAgain) this.#refusedKey = undefined;
    if (this.#operations.get(operation)?.kind !== 'wrong-path') this.#operations.set(operation, { kind: 'proven' });
    return isKeyGoodAgain;
  }

  /** @param until when the key may be tried again */
  keyRefused(keyId: string, until: LocalInstant): Cooldown {
    this.#refusedKey = { id: keyId, until };
    this.#doubtAll();
    return { kind: 'timed', reason: 'key_refused', until };
  }

  retryKey(now: LocalInstant): void {
    if (this.#refusedKey) this.#refusedKey = { ...this.#refusedKey, until: now };
  }

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

  /** Blocks this window and earlier ones. @param start of the refused window */
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

  /** Pauses requests. A later answer never shortens the pause. */
  pauseUntil(until: LocalInstant, reason: FailureReason): TimedCooldown {
    this.#pause = later(this.#pause, { kind: 'timed', reason, until });
    this.#doubtAll();
    return this.#pause;
  }

  storageFailed(reason: keyof typeof STORAGE_RECHECK_MS, now: LocalInstant): Cooldown {
    this.#storage = { kind: 'timed', reason, until: addMs(now, STORAGE_RECHECK_MS[reason]) };
    return this.#storage;
  }

  /** Notes a failure, after which a bounded exponential back-off with full jitter follows. */
  failed(operation: OperationId, reason: FailureReason, now: LocalInstant): Cooldown {
    const state = this.operation(operation, now);
    const failures = state.kind === 'failing' ? state.failures : 0;
    const waitMs = fullJitterMs(backOffMs(failures + 1, UPSTREAM_BACK_OFF), this.#random);
    const cooldown: TimedCooldown = {
      kind: 'timed',
      reason,
      until: addMs(now, waitMs),
    };
    // A late failure does not replace a refusal.
    if (state.kind !== 'denied' && state.kind !== 'wrong-path') {
      this.#operations.set(operation, { kind: 'failing', failures: failures + 1, cooldown });
    }
    return cooldown;
  }

  allowanceUsedUp(
    { spending, requests }: Omit<PlannedRequests, 'operation'>,
    until: LocalInstant,
    now: LocalInstant,
  ): Cooldown {
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
