import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { SteadyClock } from '#lib/time/steady-clock.ts';
import type { Surroundings } from '../feeds/feed.ts';

/** Clocks and timers run so many times as fast, for receivers that take seconds to be missed. */
export function makeFasterSurroundings(times = 8) {
  const startMs = Date.now();
  const startedAt = performance.now();
  const monotonicMs = () => startMs + (performance.now() - startedAt) * times;
  let stepsMs = 0;
  const clock = new SteadyClock({ monotonicMs, wallMs: () => monotonicMs() + stepsMs });
  const surroundings: Surroundings = {
    now: () => upstreamInstant(clock.nowMs()),
    calendar: {
      lastStep: () => clock.lastStep,
      wallOf: (steady) => upstreamInstant(clock.wallOf(epochMs(steady))),
      steadyOf: (wall) => upstreamInstant(clock.steadyOf(epochMs(wall))),
    },
    after(ms, callback) {
      const timer = setTimeout(callback, ms / times);
      return () => clearTimeout(timer);
    },
    random: () => 0.5,
  };
  return {
    surroundings,
    wallMs: () => clock.wallMs(),
    setWall(ms: number): void {
      stepsMs += ms;
      clock.wallMs();
    },
  };
}
