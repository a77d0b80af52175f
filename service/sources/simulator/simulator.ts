import { upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { lifetimeMs, type Source } from '../observation.ts';
import { allotAircraft } from './aircraft/aircraft-allotment.ts';
import { aircraftTrack } from './aircraft/aircraft-track.ts';
import { allotDrones } from './drones/drone-allotment.ts';
import { droneTrack } from './drones/drone-track.ts';
import { makeFleet } from './flights/fleet.ts';
import { earliestSightings, sightedAtMs } from './observing/earliest-sightings.ts';
import { makeLatestObservations } from './observing/latest-observations.ts';
import { observe } from './observing/observe.ts';

export interface SimulatorOptions {
  readonly seed: number;
  /** How many tracks of each kind; each is on nearly all the time. */
  readonly aircraft: number;
  readonly drones: number;
}

export interface Simulator extends Source {
  /** Does the work that the first questions about the window would do, a little (well under a millisecond) each step. */
  prepare(window: Window): Generator<void>;
}

/**
 * A source of simulated traffic all over the world. What it answers follows from the seed and the time asked about
 * alone, for any time past or to come; a larger number of tracks adds to a smaller one.
 */
export function makeSimulator({ seed, aircraft, drones }: SimulatorOptions): Simulator {
  const fleets = {
    adsb: makeFleet(allotAircraft(seed, aircraft).map((task, index) => aircraftTrack(seed, index, task))),
    rid: makeFleet(allotDrones(seed, drones).map((site, index) => droneTrack(seed, index, site))),
  };
  const latest = {
    adsb: makeLatestObservations(fleets.adsb, lifetimeMs('adsb')),
    rid: makeLatestObservations(fleets.rid, lifetimeMs('rid')),
  };
  return {
    live: (layer, bbox, now) => latest[layer](bbox, now),
    history(layer, bbox, window, atMost) {
      // One more than asked tells whether there are others.
      const found = earliestSightings(fleets[layer], bbox, window, atMost + 1);
      return { observations: found.slice(0, atMost).map(observe), more: found.length > atMost };
    },
    historyTimes: (layer, bbox, window, atMost) =>
      earliestSightings(fleets[layer], bbox, window, atMost).map((sighting) => upstreamInstant(sightedAtMs(sighting))),
    *prepare(window) {
      yield* fleets.adsb.build(window);
      yield* fleets.rid.build(window);
    },
  };
}
