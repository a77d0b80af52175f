import 'server-only';
import type { Logger } from 'pino';
import { formatLocalInstant, localInstant } from '#lib/time/instant.ts';
import type { SteadyClock } from '#lib/time/steady-clock.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** Logs steps of the wall clock. @returns the end of watching */
export function watchClock(clock: SteadyClock, log: Pick<Logger, 'warn'>): () => void {
  const endListening = clock.onStep(({ ms, wallMs }) =>
    log.warn(
      { by_s: Math.round(ms) / SECOND_MS, now: formatLocalInstant(localInstant(wallMs)) },
      ms < 0
        ? 'the clock of this machine was set back; nothing waits for it, and what was recorded before has later times'
        : 'the clock of this machine was set forward, or the machine was suspended; all positions count as that much older until they are read again',
    ),
  );
  const timer = setInterval(() => clock.wallMs(), SECOND_MS).unref();
  return () => {
    clearInterval(timer);
    endListening();
  };
}
