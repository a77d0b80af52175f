import { destination } from '#lib/geo/great-circle.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { type ComputedSource, ttlMs } from '../observation.ts';
import { allotAircraft } from './aircraft/aircraft-allotment.ts';
import { aircraftTrack } from './aircraft/aircraft-track.ts';
import { DRONE_SITES, type DroneSite, type SiteGroup } from './drones/drone-sites.ts';
import { droneTrack } from './drones/drone-track.ts';
import { makeFleet } from './flights/fleet.ts';
import { earliestSightings, sightedAtMs } from './observing/earliest-sightings.ts';
import { makeLatestObservations } from './observing/latest-observations.ts';
import { observe } from './observing/observe.ts';

/** As for aircraft: the first tracks keep the Alps and 180° busy, the rest are spread over the world. */
const FIRST_TRACKS = 60;
const FIRST_PATTERN = 'alps dateline alps dateline world alps world alps world world'.split(' ') as SiteGroup[];
const WORLD_PATTERN = 'world world world world alps world world world dateline world'.split(' ') as SiteGroup[];

/** Drones start within this distance of a town's centre; further out if more of them share the town. */
const SPREAD_M = 2500;
const SPREAD_MAX_M = 25_000;

/** The sites of drones 0 to `count` - 1. The pattern selects the part of the world; its towns are used round-robin. */
export function allotDrones(seed: number, count: number): DroneSite[] {
  const taken = new Map<SiteGroup, number>();
  return Array.from({ length: count }, (_, index) => {
    const pattern = index < FIRST_TRACKS ? FIRST_PATTERN : WORLD_PATTERN;
    const group = pattern[index % pattern.length]!;
    const ordinal = taken.get(group) ?? 0;
    taken.set(group, ordinal + 1);
    const towns = DRONE_SITES[group];
    const town = towns[ordinal % towns.length]!;
    const spreadM = Math.min(SPREAD_MAX_M, SPREAD_M * Math.sqrt(1 + Math.floor(ordinal / towns.length)));
    const distance = spreadM * Math.sqrt(seededUnit(seed, index, 1));
    const place = destination(town, 360 * seededUnit(seed, index, 2), distance);
    return { ...place, elevationM: town.elevationM };
  });
}

export interface SimulatorOptions {
  readonly seed: number;
  /** Number of tracks of each kind; each is live almost all the time. */
  readonly aircraft: number;
  readonly drones: number;
}

export interface Simulator extends ComputedSource {
  /** Prepares requests for the window in small steps, each well under a millisecond. */
  prepare(window: Window): Generator<void>;
}

/**
 * A source of simulated traffic all over the world. Its answers depend on the seed and the requested time alone, for
 * any time, past or future. A larger number of tracks adds to a smaller one.
 */
export function makeSimulator({ seed, aircraft, drones }: SimulatorOptions): Simulator {
  const fleets = {
    adsb: makeFleet(allotAircraft(seed, aircraft).map((task, index) => aircraftTrack(seed, index, task))),
    rid: makeFleet(allotDrones(seed, drones).map((site, index) => droneTrack(seed, index, site))),
  };
  const latest = {
    adsb: makeLatestObservations(fleets.adsb, ttlMs('adsb')),
    rid: makeLatestObservations(fleets.rid, ttlMs('rid')),
  };
  return {
    live: (layer, bbox, now) => latest[layer](bbox, now),
    history(layer, bbox, window, maxCount) {
      // One more than requested shows whether there are others.
      const found = earliestSightings(fleets[layer], bbox, window, maxCount + 1);
      return { observations: found.slice(0, maxCount).map(observe), more: found.length > maxCount };
    },
    historyTimes: (layer, bbox, window, maxCount) =>
      earliestSightings(fleets[layer], bbox, window, maxCount).map((sighting) =>
        upstreamInstant(sightedAtMs(sighting)),
      ),
    *prepare(window) {
      yield* fleets.adsb.build(window);
      yield* fleets.rid.build(window);
    },
  };
}
