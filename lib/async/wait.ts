import type { Clock } from './clock.ts';

/** The work itself continues. @throws the signal's reason as soon as it is aborted; what `work` rejects with */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Waits for the work, but no longer than `ms`. The work itself continues.
 * @throws as `unlessAborted` does
 */
export async function atMostMs(clock: Clock, work: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  try {
    await unlessAborted(Promise.race([work, over]), signal);
  } finally {
    cancel();
  }
}
