import 'server-only';

/** The work itself continues. @throws the signal's reason as soon as it is aborted; whatever `work` rejects with */
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

/** @throws as `unlessAborted` does */
export async function withinMs(work: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await unlessAborted(Promise.race([work, over]), signal);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws the signal's reason as soon as it is aborted */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return withinMs(new Promise(() => {}), ms, signal);
}
