/** The clock and the timer that code in pure folders is given. Tests pass their own. */
export interface Clock {
  /** Milliseconds since any start. It is never set back. */
  nowMs(): number;
  /**
   * Calls `run` once, after `ms`. The timer alone does not keep the process alive.
   * @returns a function that cancels the call
   */
  after(ms: number, run: () => void): () => void;
}

/** The work itself continues. @throws the signal's reason as soon as it is aborted; what `work` rejects with */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Waits for the work, but no longer than `ms`. The work itself continues.
 * @returns what the work resolves with; `undefined` after `ms`
 * @throws as `unlessAborted` does
 */
async function atMostMs<T>(clock: Clock, work: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | undefined> {
  let cancel = () => {};
  const over = new Promise<undefined>((resolve) => {
    cancel = clock.after(ms, () => resolve(undefined));
  });
  try {
    return await unlessAborted(Promise.race([work, over]), signal);
  } finally {
    cancel();
  }
}

/** Waits by one clock. */
export function waitsOf(clock: Clock) {
  const withinMs = <T>(work: Promise<T>, ms: number, signal?: AbortSignal) => atMostMs(clock, work, ms, signal);
  return {
    /** `atMostMs` of this clock. */
    withinMs,
    /** @throws the signal's reason as soon as it is aborted */
    sleep: (ms: number, signal?: AbortSignal): Promise<void> => withinMs(new Promise<void>(() => {}), ms, signal),
  };
}
