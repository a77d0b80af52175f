import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Instant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { lifetimeMs, type Source } from '../observation.ts';
import { allotAircraft } from './aircraft-allotment.ts';
import { aircraftTrack } from './aircraft-track.ts';
import { allotDrones } from './drone-allotment.ts';
import { droneTrack } from './drone-track.ts';
import { earliestObservations } from './earliest-observations.ts';
import { makeFleet } from './fleet.ts';
import { makeLatestObservations } from './latest-observations.ts';

export interface SimulatorOptions {
  readonly seed: number;
  /** How many tracks of each kind; each is on nearly all the time. */
  readonly aircraft: number;
  readonly drones: number;
}

/**
 * A source of simulated traffic all over the world. What it answers follows from the seed and the time asked about
 * alone, for any time past or to come; a larger number of tracks adds to a smaller one.
 */
export function makeSimulator({ seed, aircraft, drones }: SimulatorOptions): Source {
  const fleets = {
    adsb: makeFleet(allotAircraft(seed, aircraft).map((task, index) => aircraftTrack(seed, index, task))),
    rid: makeFleet(allotDrones(seed, drones).map((site, index) => droneTrack(seed, index, site))),
  };
  const latest = {
    adsb: makeLatestObservations(fleets.adsb, lifetimeMs('adsb')),
    rid: makeLatestObservations(fleets.rid, lifetimeMs('rid')),
  };
  return {
    live: (layer: Layer, bbox: Bbox, now: Instant) => latest[layer](bbox, now),
    history: (layer: Layer, bbox: Bbox, window: Window, atMost: number) =>
      earliestObservations(fleets[layer], bbox, window, atMost),
  };
}
