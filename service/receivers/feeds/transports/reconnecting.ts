import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Connection, Inlet, Surroundings } from '../feed.ts';
import { makeBackoff } from './backoff.ts';

/** The duration is 0 if connecting failed. */
export interface Ended {
  readonly problem: string;
  readonly lastedMs: number;
}

const PROVED_MS = 10 * SECOND_MS;

/** @param connectOnce resolves when the connection ended or `closing` was aborted. Never rejects */
export function reconnecting(
  connectOnce: (closing: AbortSignal) => Promise<Ended>,
  inlet: Inlet,
  { random, after }: Surroundings,
): Connection {
  const backoff = makeBackoff(random);
  let cancelNext = () => {};
  let closing: AbortController;
  let renewing: AbortController;
  let current = connect();

  async function connect(): Promise<void> {
    closing = new AbortController();
    renewing = new AbortController();
    const { signal } = closing;
    const { problem, lastedMs } = await connectOnce(AbortSignal.any([signal, renewing.signal]));
    if (signal.aborted) return;
    inlet.lost(renewing.signal.aborted ? 'it fell silent' : problem);
    if (lastedMs >= PROVED_MS) backoff.reset();
    cancelNext = after(backoff.nextMs(), () => {
      current = connect();
    });
  }

  return {
    renew: () => renewing.abort(),
    close() {
      closing.abort();
      cancelNext();
      return current;
    },
  };
}
