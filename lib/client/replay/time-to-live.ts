import * as z from 'zod/mini';
import { AGEING } from '#lib/model/ageing.ts';
import { kindOfFlags, type TrackKind } from '#lib/model/position.ts';
import type { TrackColumns } from '#lib/picture/track-columns.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { BrowserStorage } from '../browser/storage.ts';
import type { LiveFeed } from '../live/live-feed.ts';

/** How long a position is current after it was observed. The past does not say it: it is learnt from live records. */
export type TimeToLive = Readonly<Record<TrackKind, number>>;

export const FALLBACK_TTL_MS: TimeToLive = {
  aircraft: AGEING.aircraft.fallbackTtlMs,
  drone: AGEING.drone.fallbackTtlMs,
};

/**
 * Median time from observation to expiry.
 * @param known used for kinds without live records
 */
export function ttlFromLive(live: TrackColumns, known: TimeToLive = FALLBACK_TTL_MS): TimeToLive {
  const spansMs: Record<TrackKind, number[]> = { aircraft: [], drone: [] };
  for (let slot = 0; slot < live.end; slot++) {
    if (live.used[slot] === 0) continue;
    const spanMs = (live.expiresAtMs[slot] as number) - (live.observedAtMs[slot] as number);
    // Ignores records that were stale from the start.
    if (spanMs > 0) spansMs[kindOfFlags(live.style[slot] as number)].push(spanMs);
  }
  return {
    aircraft: lowerMedian(spansMs.aircraft) ?? known.aircraft,
    drone: lowerMedian(spansMs.drone) ?? known.drone,
  };
}

function lowerMedian(values: number[]): number | undefined {
  return values.sort((a, b) => a - b)[(values.length - 1) >> 1];
}

const storageKey = 'lookout.time-to-live';
const spanMs = z.number().check(z.positive(), z.maximum(DAY_MS));
const ttlSchema = z.object({
  aircraft: z.catch(spanMs, FALLBACK_TTL_MS.aircraft),
  drone: z.catch(spanMs, FALLBACK_TTL_MS.drone),
});

/** The values of the last live picture in this browser, or the fallback. */
export function readTtl(storage: Pick<BrowserStorage, 'read'>): TimeToLive {
  return storage.read(storageKey, ttlSchema) ?? FALLBACK_TTL_MS;
}

export function saveTtl(storage: Pick<BrowserStorage, 'write'>, ttlMs: TimeToLive): void {
  storage.write(storageKey, ttlMs);
}

/** Stores the values for replays that are opened from a link without a live picture. Returns a function that stops. */
export function storeTtl(feed: Pick<LiveFeed, 'store' | 'subscribe'>, storage: BrowserStorage): () => void {
  let savedAtMs = Number.NEGATIVE_INFINITY;
  return feed.subscribe(() => {
    const nowMs = performance.now();
    if (feed.store.columns.end === 0 || nowMs - savedAtMs < MINUTE_MS) return;
    savedAtMs = nowMs;
    saveTtl(storage, ttlFromLive(feed.store.columns, readTtl(storage)));
  });
}
