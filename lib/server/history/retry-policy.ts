import 'server-only';
import { FAILURES } from '#lib/api/layer-reason.ts';
import { addMs, type LocalInstant, msBetween } from '#lib/time/instant.ts';
import type { Cooldown } from '../upstream/cooldown.ts';

/** Per part. */
const MAX_RETRIES = 2;
/** Of a load's requests; the first failing part may use all of its retries. */
const RETRY_SHARE = 0.05;
/** A longer pause is not waited for. */
const MAX_PAUSE_MS = 150_000;
/** The rest of the allowance is reserved for requests that take about this long. */
const RESERVED_WAIT_MS = 500;

export type Verdict =
  /** For the whole box. */
  | 'give-up'
  | 'retry'
  /** Smaller windows may succeed. */
  | 'failed';

export interface RequestFailure {
  readonly cooldown: Cooldown;
  /** The same for each try. */
  readonly key: string;
  /** False where another request met the refusal. */
  readonly wasRequested: boolean;
  readonly requests: number;
  readonly now: LocalInstant;
}

export class RetryPolicy {
  readonly #retriesOf = new Map<string, number>();
  #retries = 0;
  /** For another server, or the database. */
  #waitsSince: LocalInstant | undefined;
  /** The rest of the allowance is reserved for others. */
  #reserved: { readonly since: LocalInstant; readonly checkAt: LocalInstant } | undefined;

  judge({ cooldown, key, wasRequested, requests, now }: RequestFailure): Verdict {
    switch (FAILURES[cooldown.reason].load) {
      case 'give-up':
        return 'give-up';
      case 'pause':
        if (cooldown.kind === 'reserved') return this.#waitForReserved(now);
        return this.isWorthWaiting(cooldown, now) ? 'retry' : 'give-up';
      case 'wait':
        this.#waitsSince ??= now;
        return msBetween(this.#waitsSince, now) > MAX_PAUSE_MS ? 'give-up' : 'retry';
      case 'retry':
      case 'retry-halved': {
        const isPaused = !wasRequested && cooldown.kind === 'timed' && cooldown.until > now;
        return isPaused || this.#takeRetry(key, requests) ? 'retry' : 'failed';
      }
    }
  }

  isWorthWaiting(cooldown: Cooldown, now: LocalInstant): boolean {
    const { load } = FAILURES[cooldown.reason];
    if (cooldown.kind !== 'timed' || load === 'give-up') return false;
    return load !== 'pause' || msBetween(now, cooldown.until) <= MAX_PAUSE_MS;
  }

  reservedUntil(now: LocalInstant): LocalInstant | undefined {
    return this.#reserved && now < this.#reserved.checkAt ? this.#reserved.checkAt : undefined;
  }

  succeeded(): void {
    this.#waitsSince = undefined;
    this.#reserved = undefined;
  }

  isPersistent(key: string): boolean {
    return (this.#retriesOf.get(key) ?? 0) >= MAX_RETRIES;
  }

  #waitForReserved(now: LocalInstant): Verdict {
    const since = this.#reserved?.since ?? now;
    this.#reserved = { since, checkAt: addMs(now, RESERVED_WAIT_MS) };
    return msBetween(since, now) > MAX_PAUSE_MS ? 'give-up' : 'retry';
  }

  #takeRetry(key: string, requests: number): boolean {
    const budget = Math.max(MAX_RETRIES, Math.floor(RETRY_SHARE * requests));
    if (this.isPersistent(key) || this.#retries >= budget) return false;
    this.#retriesOf.set(key, (this.#retriesOf.get(key) ?? 0) + 1);
    this.#retries++;
    return true;
  }
}
