import * as z from 'zod/mini';
import { DAY_MS } from '#lib/time/time-units.ts';
import type { BrowserStorage } from '../browser/storage.ts';
import { FALLBACK_TTL_MS, type TimeToLive } from './store/replay-cursor.ts';

const storageKey = 'lookout.time-to-live';
const spanMs = z.number().check(z.positive(), z.maximum(DAY_MS));
const ttlSchema = z.object({
  aircraft: z.catch(spanMs, FALLBACK_TTL_MS.aircraft),
  drone: z.catch(spanMs, FALLBACK_TTL_MS.drone),
});

/** Learnt from a live picture in this browser; otherwise the fallback. */
export function readTtl(storage: Pick<BrowserStorage, 'read'>): TimeToLive {
  return storage.read(storageKey, ttlSchema) ?? FALLBACK_TTL_MS;
}

export function saveTtl(storage: Pick<BrowserStorage, 'write'>, ttlMs: TimeToLive): void {
  storage.write(storageKey, ttlMs);
}
