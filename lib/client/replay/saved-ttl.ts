import * as z from 'zod/mini';
import { DAY_MS } from '#lib/time/time-units.ts';
import { FALLBACK_TTL_MS, type TimeToLive } from './store/replay-cursor.ts';

const storageKey = 'lookout.time-to-live';
const spanMs = z.number().check(z.positive(), z.maximum(DAY_MS));
const ttlSchema = z.object({
  aircraft: z.catch(spanMs, FALLBACK_TTL_MS.aircraft),
  drone: z.catch(spanMs, FALLBACK_TTL_MS.drone),
});

/** Learnt from a live picture in this browser; otherwise the fallback. */
export function readTtl(storage: Pick<Storage, 'getItem'>): TimeToLive {
  try {
    return ttlSchema.parse(JSON.parse(storage.getItem(storageKey) ?? '{}'));
  } catch {
    return FALLBACK_TTL_MS;
  }
}

/** Ignores storage errors: the next visit then uses the fallback. */
export function saveTtl(storage: Pick<Storage, 'setItem'>, ttlMs: TimeToLive): void {
  try {
    storage.setItem(storageKey, JSON.stringify(ttlMs));
  } catch {
    return;
  }
}
