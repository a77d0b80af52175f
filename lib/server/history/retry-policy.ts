import 'server-only';
import { FAILURES } from '#lib/api/layer-reason.ts';
import { addMs, type LocalInstant, msBetween } from '#lib/time/instant.ts';
import type { Cooldown } from '../upstream/cooldown.ts';

/** Of one part. */
export const MAX_RETRIES = 2;
/** Of all requests of a load; but the first trouble may be met with all retries of a part. */
export const RETRY_SHARE = 0.05;
/** A pause that lasts longer is not waited for. */
export const MAX_PAUSE_MS = 150_000;
/** Requests under way, that what is left is reserved for, take about as long. */
const RESERVED_WAIT_MS = 500;

export type Verdict =
  /** Nothing more of its box is asked for. */
  | 'give-up'
  /** It is asked again as soon as the circuit lets it. */
  | 'again'
  /** It has failed; smaller windows may come where it did not. */
  | 'failed';

/** A part that could not be had. */
export interface RequestFailure {
  readonly cooldown: Cooldown;
  /** The part's; the same each time that it is tried. */
  readonly key: string;
  /** False where no request was made: what it was refused for, another one met. */
  readonly wasAsked: boolean;
  /** That the load has made. */
  readonly requests: number;
  readonly now: LocalInstant;
}

/** What becomes of the parts of one load that could not be had: how often they are asked again, and what is waited for. */
export class RetryPolicy {
  readonly #retriesOf = new Map<string, number>();
  #retries = 0;
  /** Since when all that is left of the allowance has been reserved by others, and when that is looked at again. */
  #reserved: { readonly since: LocalInstant; readonly againAt: LocalInstant } | undefined;

  judge({ cooldown, key, wasAsked, requests, now }: RequestFailure): Verdict {
    switch (FAILURES[cooldown.reason].load) {
      case 'give-up':
        return 'give-up';
      case 'pause':
        if (cooldown.kind === 'reserved') return this.#waitForReserved(now);
        return this.isWorthWaiting(cooldown, now) ? 'again' : 'give-up';
      case 'retry':
      case 'retry-halved': {
        const isPaused = !wasAsked && cooldown.kind === 'timed' && cooldown.until > now;
        return isPaused || this.#takeRetry(key, requests) ? 'again' : 'failed';
      }
    }
  }

  /** Whether a load waits for its end. */
  isWorthWaiting(cooldown: Cooldown, now: LocalInstant): boolean {
    const { load } = FAILURES[cooldown.reason];
    if (cooldown.kind !== 'timed' || load === 'give-up') return false;
    return load !== 'pause' || msBetween(now, cooldown.until) <= MAX_PAUSE_MS;
  }

  /** Until when nothing is asked, since what is left of the allowance is reserved for requests that are under way. */
  reservedUntil(now: LocalInstant): LocalInstant | undefined {
    return this.#reserved && now < this.#reserved.againAt ? this.#reserved.againAt : undefined;
  }

  /** A part came: the allowance is not reserved for others alone. */
  cameThrough(): void {
    this.#reserved = undefined;
  }

  /** Whether it failed after as many retries as one part may have. */
  isPersistent(key: string): boolean {
    return (this.#retriesOf.get(key) ?? 0) >= MAX_RETRIES;
  }

  #waitForReserved(now: LocalInstant): Verdict {
    const since = this.#reserved?.since ?? now;
    this.#reserved = { since, againAt: addMs(now, RESERVED_WAIT_MS) };
    return msBetween(since, now) > MAX_PAUSE_MS ? 'give-up' : 'again';
  }

  #takeRetry(key: string, requests: number): boolean {
    const budget = Math.max(MAX_RETRIES, Math.floor(RETRY_SHARE * requests));
    if (this.isPersistent(key) || this.#retries >= budget) return false;
    this.#retriesOf.set(key, (this.#retriesOf.get(key) ?? 0) + 1);
    this.#retries++;
    return true;
  }
}
