import { uptime } from 'node:os';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SteadyClock } from '#lib/time/steady-clock.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

export const machineClock = new SteadyClock({ monotonicMs: () => performance.now(), wallMs: () => Date.now() });

/** The wall clock, for what is served, stored or shown. */
export function serviceNow(): UpstreamInstant {
  return upstreamInstant(machineClock.wallMs());
}

/** The steady clock, for durations. Never compare it with `serviceNow`. */
export function steadyNow(): UpstreamInstant {
  // Notices a change of the clock now.
  machineClock.wallMs();
  return upstreamInstant(machineClock.nowMs());
}

/** The clocks, timers and randomness of this machine, as receivers need them (`Surroundings` in receivers/feeds). */
export const machineSurroundings = {
  now: steadyNow,
  calendar: {
    lastStep: () => machineClock.lastStep,
    wallOf: (steady: UpstreamInstant) => upstreamInstant(machineClock.wallOf(epochMs(steady))),
    steadyOf: (wall: UpstreamInstant) => upstreamInstant(machineClock.steadyOf(epochMs(wall))),
  },
  uptimeMs: () => uptime() * SECOND_MS,
  after(ms: number, callback: () => void): () => void {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
