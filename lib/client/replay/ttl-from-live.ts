import type { TrackKind } from '#lib/model/position.ts';
import { kindOfFlags } from '#lib/model/position-at.ts';
import type { TrackColumns } from '#lib/picture/track-columns.ts';
import { FALLBACK_TTL_MS, type TimeToLive } from './store/replay-cursor.ts';

/**
 * How long this service lets positions live, as the live records say it: the median of their spans from observation to expiry.
 * Where there are none of a kind, what was known before, or the fallback.
 */
export function ttlFromLive(live: TrackColumns, known: TimeToLive = FALLBACK_TTL_MS): TimeToLive {
  const spansMs: Record<TrackKind, number[]> = { aircraft: [], drone: [] };
  for (let slot = 0; slot < live.end; slot++) {
    if (live.used[slot] === 0) continue;
    const spanMs = (live.expiresAtMs[slot] as number) - (live.observedAtMs[slot] as number);
    // A record that was stale from the first says nothing of how long others live.
    if (spanMs > 0) spansMs[kindOfFlags(live.style[slot] as number)].push(spanMs);
  }
  return {
    aircraft: median(spansMs.aircraft) ?? known.aircraft,
    drone: median(spansMs.drone) ?? known.drone,
  };
}

/** The lower one of two in the middle: a span that a record had. */
function median(values: number[]): number | undefined {
  return values.sort((a, b) => a - b)[(values.length - 1) >> 1];
}
