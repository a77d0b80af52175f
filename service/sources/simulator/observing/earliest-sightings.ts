import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { minDistanceM } from '../flights/extent.ts';
import type { Fleet } from '../flights/fleet.ts';
import { type Flight, motionOf } from '../flights/flight.ts';
import { pointAlong } from '../motion/path.ts';
import { firstTickFrom, isReceived, tickMs } from './received-ticks.ts';
import { type Sighting, sightingAt } from './sighting.ts';

/** Nothing here moves faster than FASTEST_MPS, and no reported position is further than MAX_OFF_M from the true one. */
const FASTEST_MPS = 280;
const MAX_OFF_M = 1000;
/** How much of the window is read at once. */
const SLICE_MS = { shortest: 1000, longest: MINUTE_MS };

interface Candidate {
  readonly flight: Flight;
  /** The flight can't be in the box before this time, in ms since 1970. */
  awayUntilMs: number;
}

/** The earliest `maxCount` sightings in the box and window, by time, then in the order of the tracks. */
export function earliestSightings(fleet: Fleet, bbox: Bbox, window: Window, maxCount: number): Sighting[] {
  const candidates: Candidate[] = [];
  fleet.forEachFlight(bbox, window, (flight) => {
    const fromMs = Math.max(epochMs(window.start), flight.startMs);
    const { alongM } = motionOf(flight, fromMs - flight.startMs);
    const awayUntilMs = fromMs + minAwayMs(bbox, pointAlong(flight.movement.path, alongM));
    if (awayUntilMs < Math.min(epochMs(window.end), flight.endMs)) candidates.push({ flight, awayUntilMs });
  });

  // Slice by slice, so that an overfull window costs in proportion to what is returned, not to what it contains.
  const found: Sighting[] = [];
  let sliceMs = SLICE_MS.shortest;
  for (let startMs = epochMs(window.start); startMs < epochMs(window.end) && found.length < maxCount; ) {
    const endMs = Math.min(epochMs(window.end), startMs + sliceMs);
    for (const sighting of sightingsIn(candidates, bbox, startMs, endMs)) found.push(sighting);
    const lackingMs = ((maxCount - found.length) * (endMs - epochMs(window.start))) / Math.max(1, found.length);
    sliceMs = Math.max(SLICE_MS.shortest, Math.min(lackingMs, 2 * sliceMs, SLICE_MS.longest));
    startMs = endMs;
  }
  return found.length > maxCount ? found.slice(0, maxCount) : found;
}

export function sightedAtMs({ flight, elapsedMs }: Sighting): number {
  return flight.startMs + elapsedMs;
}

function sightingsIn(candidates: readonly Candidate[], bbox: Bbox, startMs: number, endMs: number): Sighting[] {
  const found: Sighting[] = [];
  for (const candidate of candidates) {
    const { flight } = candidate;
    const fromMs = Math.max(startMs, candidate.awayUntilMs) - flight.startMs;
    const untilMs = Math.min(endMs, flight.endMs) - flight.startMs;
    if (fromMs >= untilMs) continue;
    let tick = firstTickFrom(flight, fromMs);
    for (let elapsedMs = tickMs(flight, tick); elapsedMs < untilMs; elapsedMs = tickMs(flight, tick)) {
      const sighting = isReceived(flight, tick, elapsedMs) ? sightingAt(flight, tick, elapsedMs) : undefined;
      tick++;
      if (!sighting) continue;
      if (bboxContains(bbox, sighting.lon, sighting.lat)) {
        found.push(sighting);
        continue;
      }
      const awayMs = minAwayMs(bbox, sighting);
      if (awayMs === 0) continue;
      candidate.awayUntilMs = flight.startMs + elapsedMs + awayMs;
      tick = Math.max(tick, firstTickFrom(flight, elapsedMs + awayMs));
    }
  }
  return found.sort((a, b) => sightedAtMs(a) - sightedAtMs(b));
}

/** The minimum time until something at the point can be in the box. */
function minAwayMs(bbox: Bbox, point: LonLat): number {
  return (Math.max(0, minDistanceM(bbox, point) - MAX_OFF_M) / FASTEST_MPS) * 1000;
}
