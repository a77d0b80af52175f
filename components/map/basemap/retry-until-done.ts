import { backOffMs } from '#lib/async/back-off.ts';

const WAIT_MAX_MS = 20_000;

export interface Patience {
  readonly firstWaitMs?: number;
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Retries at growing intervals.
 * @throws the signal's reason, and errors of `onFailure`
 */
export async function retryUntilDone<Answer>(
  ask: () => Promise<Answer>,
  { firstWaitMs = 1000, onFailure }: Patience,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  for (let failures = 1; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      onFailure?.(error);
    }
    await waited(backOffMs(failures, { firstMs: firstWaitMs, maxMs: WAIT_MAX_MS }), signal);
  }
}

function waited(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
