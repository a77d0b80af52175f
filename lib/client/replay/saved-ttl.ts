import { z } from 'zod';
import { DAY_MS } from '#lib/time/time-units.ts';
import { FALLBACK_TTL_MS, type TimeToLive } from './store/replay-cursor.ts';

const storageKey = 'lookout.time-to-live';
const spanMs = z.number().positive().max(DAY_MS);
const ttlSchema = z.object({
  aircraft: spanMs.catch(FALLBACK_TTL_MS.aircraft),
  drone: spanMs.catch(FALLBACK_TTL_MS.drone),
});

/**
 * How long positions live, as the live picture showed it the last time in this browser: a link into the past may be opened
 * without one. The fallback where it never did, or what was kept cannot be read.
 */
export function readTtl(storage: Pick<Storage, 'getItem'>): TimeToLive {
  try {
    return ttlSchema.parse(JSON.parse(storage.getItem(storageKey) ?? '{}'));
  } catch {
    return FALLBACK_TTL_MS;
  }
}

/** A browser that keeps nothing has the fallback the next time. */
export function saveTtl(storage: Pick<Storage, 'setItem'>, lifetimes: TimeToLive): void {
  try {
    storage.setItem(storageKey, JSON.stringify(lifetimes));
  } catch {
    return;
  }
}
