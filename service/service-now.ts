import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SteadyClock } from '#lib/time/steady-clock.ts';

export const machineClock = new SteadyClock({ monotonicMs: () => performance.now(), wallMs: () => Date.now() });

/** By the wall clock: for what is served, stored or shown. */
export function serviceNow(): UpstreamInstant {
  return upstreamInstant(machineClock.wallMs());
}

/** By the steady clock: for durations. Never compare it with `serviceNow`. */
export function steadyNow(): UpstreamInstant {
  // Notices a change of the clock now.
  machineClock.wallMs();
  return upstreamInstant(machineClock.nowMs());
}

export const steadyCalendar = {
  lastStep: () => machineClock.lastStep,
  wallOf: (steady: UpstreamInstant) => upstreamInstant(machineClock.wallOf(epochMs(steady))),
  steadyOf: (wall: UpstreamInstant) => upstreamInstant(machineClock.steadyOf(epochMs(wall))),
};
