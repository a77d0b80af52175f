import { upstreamInstant } from '#lib/time/instant.ts';
import type { Surroundings } from './feed.ts';

/** The machine's own clock, timers and dice. */
export const machineSurroundings: Surroundings = {
  now: () => upstreamInstant(Date.now()),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
