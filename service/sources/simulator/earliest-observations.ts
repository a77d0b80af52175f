import type { Bbox } from '#lib/geo/bbox.ts';
import { instantFromMs } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Observation } from '../observation.ts';
import { isWithinReach } from './extent.ts';
import type { Fleet } from './fleet.ts';
import { type Flight, motionOf } from './flight.ts';
import { observe } from './observe.ts';
import { pointAlong } from './path.ts';
import { firstTickFrom, isReceived, tickMs } from './received-ticks.ts';

/** Nothing here moves faster than this; and a report is never further off than this from where it was. */
const FASTEST_MPS = 280;
const MOST_OFF_M = 1000;
/** A slice is never longer, so that flights far from the box are passed over by one look a slice. */
const LONGEST_SLICE_MS = 60_000;

/**
 * The earliest `atMost` observations in the box and window by time, equal times in the tracks' order, and whether
 * there are more.
 */
export function earliestObservations(
  fleet: Fleet,
  bbox: Bbox,
  window: Window,
  atMost: number,
): { observations: Observation[]; more: boolean } {
  const flights: Flight[] = [];
  let ticksPerMs = 0;
  fleet.forEachFlight(bbox, window, (flight) => {
    if (!comesNear(flight, bbox, window)) return;
    flights.push(flight);
    ticksPerMs += 1 / flight.reception.periodMs;
  });

  // Slice by slice, so that an overfull window costs what it gives, not what it holds.
  const sliceMs = Math.min(LONGEST_SLICE_MS, Math.max(1000, Math.ceil((atMost + 1) / ticksPerMs)));
  const observations: Observation[] = [];
  for (let start = window.start; start < window.end && observations.length <= atMost; ) {
    const end = instantFromMs(Math.min(window.end, start + sliceMs));
    for (const observation of observationsIn(flights, bbox, { start, end })) observations.push(observation);
    start = end;
  }
  return { observations: observations.slice(0, atMost), more: observations.length > atMost };
}

function observationsIn(flights: readonly Flight[], bbox: Bbox, window: Window): Observation[] {
  const observations: Observation[] = [];
  for (const flight of flights) {
    if (flight.startMs >= window.end || flight.endMs <= window.start || !comesNear(flight, bbox, window)) continue;
    const endMs = Math.min(window.end, flight.endMs) - flight.startMs;
    for (let tick = firstTickFrom(flight, window.start - flight.startMs); ; tick++) {
      const elapsedMs = tickMs(flight, tick);
      if (elapsedMs >= endMs) break;
      if (!isReceived(flight, tick, elapsedMs)) continue;
      const observation = observe(flight, tick, bbox);
      if (observation) observations.push(observation);
    }
  }
  return observations.sort((a, b) => a.observedAt - b.observedAt);
}

/** False only where the flight can't have been in the box in the window. */
function comesNear(flight: Flight, bbox: Bbox, window: Window): boolean {
  const startMs = Math.max(window.start, flight.startMs);
  const endMs = Math.min(window.end, flight.endMs);
  const { alongM } = motionOf(flight, (startMs + endMs) / 2 - flight.startMs);
  const middle = pointAlong(flight.movement.path, alongM);
  return isWithinReach(bbox, middle, ((endMs - startMs) / 2000) * FASTEST_MPS + MOST_OFF_M);
}
