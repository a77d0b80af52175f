import 'server-only';
import type { LayerReason } from '#lib/api/layer-reason.ts';
import type { OperationId } from '#lib/contract/operation.ts';
import { addMs, type Instant } from '#lib/time/instant.ts';

/** Why no request may leave now, and until when, on our own clock; without `until`: until something is changed. */
export interface Block {
  readonly reason: LayerReason;
  readonly until: Instant | undefined;
}

/** One re-check of a refused operation per this interval: an approval is a matter of people and hours. */
export const DENIED_RECHECK_MS = 15 * 60_000;
const BACKOFF_FIRST_MS = 2000;
const BACKOFF_LONGEST_MS = 60_000;
/** Rejected queries are defects of ours: there are none, or a few; a bound keeps a bad day from growing without end. */
const REJECTED_MOST = 1000;

/**
 * How we stand with the upstream: what it has refused, and until when. Every request asks here first, so that a refusal is
 * met exactly once until something changes. Times are on our own clock.
 */
export class Standing {
  #refusedKeyId: string | undefined;
  #hold: { reason: LayerReason; until: Instant } | undefined;
  readonly #backoff = new Map<OperationId, { failures: number; block: Block & { until: Instant } }>();
  readonly #deniedUntil = new Map<OperationId, Instant>();
  readonly #lookback = new Map<OperationId, { begins: Instant; until: Instant }>();
  readonly #wrongPath = new Set<OperationId>();
  readonly #rejectedQueries = new Set<string>();
  readonly #proven = new Set<OperationId>();
  readonly #random: () => number;

  /** @param random uniform in [0, 1) */
  constructor(random: () => number) {
    this.#random = random;
  }

  blocked(operation: OperationId, query: string, keyId: string, now: Instant): Block | undefined {
    if (this.#refusedKeyId !== undefined) {
      if (this.#refusedKeyId === keyId) return { reason: 'key_refused', until: undefined };
      this.#refusedKeyId = undefined;
      // Answers to the old key that came after its refusal prove nothing of the new one.
      this.#proven.clear();
    }
    const deniedUntil = this.#deniedUntil.get(operation);
    if (deniedUntil !== undefined && now < deniedUntil) return { reason: 'layer_not_approved', until: deniedUntil };
    if (this.#wrongPath.has(operation) || this.#rejectedQueries.has(query)) {
      return { reason: 'request_rejected', until: undefined };
    }
    if (this.#hold && now < this.#hold.until) return this.#hold;
    const backoff = this.#backoff.get(operation)?.block;
    return backoff && now < backoff.until ? backoff : undefined;
  }

  /**
   * Whether an operation is known to be in order. Where it is not, one request at a time goes out, so that a refusal is one
   * request and not as many as were waiting.
   */
  isProven(operation: OperationId): boolean {
    return this.#proven.has(operation);
  }

  /** A usable answer. It ends no hold: it may have been under way when the hold began. */
  accepted(operation: OperationId): void {
    this.#backoff.delete(operation);
    this.#deniedUntil.delete(operation);
    this.#proven.add(operation);
  }

  /**
   * Why a window that starts then is not asked for: the account's history was found not to reach so far.
   * @param start of the window, on the upstream's clock
   */
  beyondLookback(operation: OperationId, start: Instant, now: Instant): Block | undefined {
    const known = this.#lookback.get(operation);
    if (!known || now >= known.until || start > known.begins) return undefined;
    return { reason: 'outside_lookback', until: known.until };
  }

  /** A window that starts then was refused, and so is any that starts before. */
  lookbackEnded(operation: OperationId, start: Instant, now: Instant): Block {
    const until = addMs(now, DENIED_RECHECK_MS);
    const known = this.#lookback.get(operation);
    const begins = known && now < known.until && known.begins > start ? known.begins : start;
    this.#lookback.set(operation, { begins, until });
    this.#proven.delete(operation);
    return { reason: 'outside_lookback', until };
  }

  /** Until when nothing at all may be sent, where the upstream said so. */
  heldUntil(now: Instant): Instant | undefined {
    return this.#hold && now < this.#hold.until ? this.#hold.until : undefined;
  }

  /** True after this key was refused, until another is there. */
  isKeyRefused(keyId: string): boolean {
    return this.#refusedKeyId === keyId;
  }

  /** Why an operation is not asked now by itself, whatever holds for the account. */
  operationBlock(operation: OperationId, now: Instant): Block | undefined {
    const deniedUntil = this.#deniedUntil.get(operation);
    if (deniedUntil !== undefined && now < deniedUntil) return { reason: 'layer_not_approved', until: deniedUntil };
    if (this.#wrongPath.has(operation)) return { reason: 'request_rejected', until: undefined };
    return this.#backoff.get(operation)?.block;
  }

  /** An operator asks for a refused operation to be tried again now. */
  forgetDenial(operation: OperationId): void {
    this.#deniedUntil.delete(operation);
  }

  keyRefused(keyId: string): Block {
    this.#refusedKeyId = keyId;
    this.#proven.clear();
    return { reason: 'key_refused', until: undefined };
  }

  operationDenied(operation: OperationId, now: Instant): Block {
    const until = addMs(now, DENIED_RECHECK_MS);
    this.#deniedUntil.set(operation, until);
    this.#proven.delete(operation);
    return { reason: 'layer_not_approved', until };
  }

  pathWrong(operation: OperationId): Block {
    this.#wrongPath.add(operation);
    return { reason: 'request_rejected', until: undefined };
  }

  queryRejected(query: string): Block {
    if (this.#rejectedQueries.size >= REJECTED_MOST) this.#rejectedQueries.clear();
    this.#rejectedQueries.add(query);
    return { reason: 'request_rejected', until: undefined };
  }

  /** Everything stops until then. A hold is never shortened by a later, laxer answer. */
  holdUntil(until: Instant, reason: LayerReason): Block {
    if (!this.#hold || until > this.#hold.until) this.#hold = { reason, until };
    this.#proven.clear();
    return this.#hold;
  }

  /** No usable answer: bounded exponential backoff with full jitter before the operation is asked again. */
  failed(operation: OperationId, reason: LayerReason, now: Instant): Block {
    const failures = this.#backoff.get(operation)?.failures ?? 0;
    const ceilingMs = Math.min(BACKOFF_LONGEST_MS, BACKOFF_FIRST_MS * 2 ** Math.min(failures, 10));
    const block = { reason, until: addMs(now, Math.round(ceilingMs * this.#random())) };
    this.#backoff.set(operation, { failures: failures + 1, block });
    this.#proven.delete(operation);
    return block;
  }
}
