import { uptime } from 'node:os';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { steadyCalendar, steadyNow } from '../../service-now.ts';
import type { Surroundings } from './feed.ts';

export const machineSurroundings: Surroundings = {
  now: steadyNow,
  calendar: steadyCalendar,
  uptimeMs: () => uptime() * SECOND_MS,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
