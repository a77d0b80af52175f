import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { addMs, epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '../../observation.ts';
import type { Fleet } from '../flights/fleet.ts';
import type { Flight } from '../flights/flight.ts';
import { observe } from './observe.ts';
import { latestReceived, tickMs } from './received-ticks.ts';
import { sightingAt } from './sighting.ts';

/** Finds the latest observation of every flight of the fleet, as `Source.live` specifies. */
export function makeLatestObservations(
  fleet: Fleet,
  ttlMs: number,
): (bbox: Bbox, now: UpstreamInstant) => Observation[] {
  // One refresh requests many pages in quick succession, and most flights have not been received again in between.
  const last = new WeakMap<Flight, { tick: number; observation: Observation }>();

  function latestOf(flight: Flight, tick: number): Observation {
    const found = last.get(flight);
    if (found?.tick === tick) return found.observation;
    const observation = observe(sightingAt(flight, tick, tickMs(flight, tick)));
    last.set(flight, { tick, observation });
    return observation;
  }

  return (bbox, now) => {
    const observations: Observation[] = [];
    const expired = addMs(now, -ttlMs);
    fleet.forEachFlight(bbox, { start: expired, end: addMs(now, 1) }, (flight) => {
      const tick = latestReceived(flight, epochMs(expired) - flight.startMs, epochMs(now) - flight.startMs);
      if (tick === undefined) return;
      const observation = latestOf(flight, tick);
      if (bboxContains(bbox, observation.lon, observation.lat)) observations.push(observation);
    });
    return observations;
  };
}
