import { z } from 'zod';
import { DAY_MS } from '#lib/time/time-units.ts';
import { FALLBACK_LIFETIMES_MS, type Lifetimes } from './store/replay-cursor.ts';

const storageKey = 'lookout.lifetimes';
const spanMs = z.number().positive().max(DAY_MS);
const lifetimesSchema = z.object({
  aircraft: spanMs.catch(FALLBACK_LIFETIMES_MS.aircraft),
  drone: spanMs.catch(FALLBACK_LIFETIMES_MS.drone),
});

/**
 * How long positions live, as the live picture showed it the last time in this browser: a link into the past may be opened
 * without one. The fallback where it never did, or what was kept cannot be read.
 */
export function readLifetimes(storage: Pick<Storage, 'getItem'>): Lifetimes {
  try {
    return lifetimesSchema.parse(JSON.parse(storage.getItem(storageKey) ?? '{}'));
  } catch {
    return FALLBACK_LIFETIMES_MS;
  }
}

/** A browser that keeps nothing has the fallback the next time. */
export function keepLifetimes(storage: Pick<Storage, 'setItem'>, lifetimes: Lifetimes): void {
  try {
    storage.setItem(storageKey, JSON.stringify(lifetimes));
  } catch {
    return;
  }
}
