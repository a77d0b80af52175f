import 'server-only';

export const RETRIES_MOST = 2;
/** Of all requests of a load; but the first trouble may be met with all retries of a part. */
export const RETRY_PART = 0.05;

/** How often the parts of one load may be asked again after a failure. */
export class RetryBudget {
  readonly #retriesOf = new Map<string, number>();
  #retries = 0;

  /** Takes a retry where one is left. @param requests that the load has made */
  take(key: string, requests: number): boolean {
    const budget = Math.max(RETRIES_MOST, Math.floor(RETRY_PART * requests));
    if (this.isPersistent(key) || this.#retries >= budget) return false;
    this.#retriesOf.set(key, (this.#retriesOf.get(key) ?? 0) + 1);
    this.#retries++;
    return true;
  }

  /** Whether it failed after as many retries as one part may have. */
  isPersistent(key: string): boolean {
    return (this.#retriesOf.get(key) ?? 0) >= RETRIES_MOST;
  }
}
