import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Connection, Inlet, Surroundings } from '../feed.ts';
import { makeBackoff } from './backoff.ts';

/** Why a connection ended, and how long it lasted: 0 ms if connecting failed. */
export interface EndedConnection {
  readonly problem: string;
  readonly lastedMs: number;
}

/** A connection that takes longer is given up. */
export const CONNECT_TIMEOUT_MS = 10 * SECOND_MS;
/** After a connection that lasted so long, the next attempt is quick again. */
const PROVED_MS = 10 * SECOND_MS;

/**
 * Keeps one connection, with a back-off between attempts, until it is closed.
 * @param connectOnce resolves when the connection ended or `closing` was aborted. Never rejects
 */
export function reconnecting(
  connectOnce: (closing: AbortSignal) => Promise<EndedConnection>,
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

/** @returns a function that adds bytes and tells whether they exceed the limit */
export function makeByteRate(bytesPerSecondMax: number, now: () => UpstreamInstant): (bytes: number) => boolean {
  let secondFrom = now();
  let bytesInSecond = 0;
  return (bytes) => {
    const passedMs = msBetween(secondFrom, now());
    if (passedMs < 0 || passedMs >= SECOND_MS) {
      secondFrom = now();
      bytesInSecond = 0;
    }
    bytesInSecond += bytes;
    return bytesInSecond > bytesPerSecondMax;
  };
}
