import { addMs, epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SteadyClock } from '#lib/time/steady-clock.ts';
import type { Surroundings } from './feed.ts';

export const START = upstreamInstant(Date.UTC(2026, 10, 23, 12));

/** Time moves only by a test. Random numbers are 0.5. */
export function makeTestSurroundings(start = START) {
  let now = start;
  let stepsMs = 0;
  const clock = new SteadyClock({ monotonicMs: () => epochMs(now), wallMs: () => epochMs(now) + stepsMs });
  let timers: { readonly at: UpstreamInstant; readonly callback: () => void }[] = [];

  const surroundings: Surroundings = {
    now: () => now,
    calendar: {
      lastStep: () => clock.lastStep,
      wallOf: (steady) => upstreamInstant(clock.wallOf(epochMs(steady))),
      steadyOf: (wall) => upstreamInstant(clock.steadyOf(epochMs(wall))),
    },
    after(ms, callback) {
      const timer = { at: addMs(now, ms), callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    random: () => 0.5,
  };
  return {
    surroundings,
    wallNow: () => upstreamInstant(clock.wallMs()),
    setWall(ms: number): void {
      stepsMs += ms;
      clock.wallMs();
    },
    move(ms: number): void {
      const end = addMs(now, ms);
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => epochMs(a.at) - epochMs(b.at));
        if (next === undefined) break;
        timers = timers.filter((each) => each !== next);
        now = next.at;
        next.callback();
      }
      now = end;
    },
    waiting: () => timers.length,
  };
}
