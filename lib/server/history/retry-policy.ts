import 'server-only';
import { FAILURES } from '#lib/api/layer-reason.ts';
import { addMs, type LocalInstant, msBetween } from '#lib/time/instant.ts';
import type { Cooldown } from '../upstream/cooldown.ts';

/** Per part. */
const MAX_RETRIES = 2;
/** Share of all requests of a load; but the first failing part may use all of its retries. */
const RETRY_SHARE = 0.05;
/** A longer pause is not waited for. */
const MAX_PAUSE_MS = 150_000;
/** Requests in flight, for which the rest of the allowance is reserved, take about this long. */
const RESERVED_WAIT_MS = 500;

export type Verdict =
  /** Nothing more of its box is requested. */
  | 'give-up'
  /** It is requested again as soon as the circuit allows. */
  | 'retry'
  /** It has failed; smaller windows may succeed. */
  | 'failed';

/** A part that could not be read. */
export interface RequestFailure {
  readonly cooldown: Cooldown;
  /** Identifies the part; the same for each try. */
  readonly key: string;
  /** False where no request was made, because of a refusal that another request met. */
  readonly wasRequested: boolean;
  /** Requests that the load has made. */
  readonly requests: number;
  readonly now: LocalInstant;
}

/** Decides about the parts of one load that could not be read: how often to retry, and what to wait for. */
export class RetryPolicy {
  readonly #retriesOf = new Map<string, number>();
  #retries = 0;
  /** Since when another server, or the database, has been waited for. */
  #waitsSince: LocalInstant | undefined;
  /** Since when the rest of the allowance has been reserved for others, and when to check again. */
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

  /** Whether a load waits for its end. */
  isWorthWaiting(cooldown: Cooldown, now: LocalInstant): boolean {
    const { load } = FAILURES[cooldown.reason];
    if (cooldown.kind !== 'timed' || load === 'give-up') return false;
    return load !== 'pause' || msBetween(now, cooldown.until) <= MAX_PAUSE_MS;
  }

  /** Until when nothing is requested, because the rest of the allowance is reserved for requests in flight. */
  reservedUntil(now: LocalInstant): LocalInstant | undefined {
    return this.#reserved && now < this.#reserved.checkAt ? this.#reserved.checkAt : undefined;
  }

  /** A part was read: the allowance is not entirely reserved for others, and all servers are there. */
  succeeded(): void {
    this.#waitsSince = undefined;
    this.#reserved = undefined;
  }

  /** Whether it failed after as many retries as a part may have. */
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
