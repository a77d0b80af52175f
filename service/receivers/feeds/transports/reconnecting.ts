import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Connection, Inlet, Surroundings } from '../feed.ts';
import { makeBackoff } from './backoff.ts';

/** Why a connection ended, and how long it stood; 0 if it never did. */
export interface Ended {
  readonly problem: string;
  readonly lastedMs: number;
}

/** A connection that lasted as long has proved itself; one that is cut at once is not tried again every second. */
const PROVED_MS = 10 * SECOND_MS;

/**
 * A connection that is made again whenever it ends, after a wait that grows while it fails.
 * @param connectOnce makes it, and resolves when it has ended by itself or because `closing` was aborted. Never rejects
 */
export function reconnecting(
  connectOnce: (closing: AbortSignal) => Promise<Ended>,
  inlet: Inlet,
  { random, after }: Surroundings,
): Connection {
  const backoff = makeBackoff(random);
  let cancelNext = () => {};
  // One for each connection: what listens to it goes with the connection.
  let closing: AbortController;
  let current = connect();

  async function connect(): Promise<void> {
    closing = new AbortController();
    const { signal } = closing;
    const { problem, lastedMs } = await connectOnce(signal);
    if (signal.aborted) return;
    inlet.lost(problem);
    if (lastedMs >= PROVED_MS) backoff.reset();
    cancelNext = after(backoff.nextMs(), () => {
      current = connect();
    });
  }

  return {
    close() {
      closing.abort();
      cancelNext();
      return current;
    },
  };
}
