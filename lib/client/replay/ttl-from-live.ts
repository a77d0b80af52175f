import type { TrackKind } from '#lib/model/position.ts';
import { kindOfFlags } from '#lib/model/position-at.ts';
import type { TrackColumns } from '#lib/picture/track-columns.ts';
import { FALLBACK_TTL_MS, type TimeToLive } from './store/replay-cursor.ts';

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
    aircraft: median(spansMs.aircraft) ?? known.aircraft,
    drone: median(spansMs.drone) ?? known.drone,
  };
}

/** The lower median, which is one of the values. */
function median(values: number[]): number | undefined {
  return values.sort((a, b) => a - b)[(values.length - 1) >> 1];
}
