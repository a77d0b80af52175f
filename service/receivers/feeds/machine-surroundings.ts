import { steadyCalendar, steadyNow } from '../../service-now.ts';
import type { Surroundings } from './feed.ts';

export const machineSurroundings: Surroundings = {
  now: steadyNow,
  calendar: steadyCalendar,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
