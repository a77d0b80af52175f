import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Layer } from '#lib/contract/operation.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { Observation } from '#service/sources/observation.ts';
import { openRecordings } from '#service/sources/recording/open-recordings.ts';
import { allotAircraft } from '#service/sources/simulator/aircraft/aircraft-allotment.ts';
import { aircraftTrack } from '#service/sources/simulator/aircraft/aircraft-track.ts';
import { droneTrack } from '#service/sources/simulator/drones/drone-track.ts';
import { type Fleet, makeFleet } from '#service/sources/simulator/flights/fleet.ts';
import { observe } from '#service/sources/simulator/observing/observe.ts';
import { firstTickFrom, isReceived, tickMs } from '#service/sources/simulator/observing/received-ticks.ts';
import { sightingAt } from '#service/sources/simulator/observing/sighting.ts';
import { allotDrones } from '#service/sources/simulator/simulator.ts';

const SWISS = join(import.meta.dirname, '../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');
const SEED = 1;
const PERIOD_MS = 1000;
const WORLD: Bbox = { west: -180, south: -90, east: 180, north: 90 };

/** The Swiss recording once through, as the past would be given it; undefined where it is missing. */
export async function swissRecording(): Promise<Observation[] | undefined> {
  if (!existsSync(SWISS)) return undefined;
  const { source } = await openRecordings({ files: [SWISS], anchor: upstreamInstant(Date.UTC(2026, 10, 1, 12)) });
  const window = { start: upstreamInstant(Date.UTC(2026, 10, 1)), end: upstreamInstant(Date.UTC(2026, 10, 3)) };
  const { observations } = source.history('adsb', WORLD, window, 2_000_000);
  const [loop] = observations.map(({ sourceId }) => loopOf(sourceId)).slice(observations.length / 2);
  return observations.filter(({ sourceId }) => loopOf(sourceId) === loop).map(withTrackKey);
}

/** Playback repeats a recording, and a source id has the number of the loop in it. */
function loopOf(sourceId: string): string {
  return sourceId.slice(0, sourceId.lastIndexOf('/'));
}

/** Simulated traffic, each track received about once a second. */
export class EachSecond {
  readonly #fleets: Readonly<Record<Layer, Fleet>>;

  /** @param aircraft and drones in all the world */
  constructor(aircraft: number, drones: number) {
    this.#fleets = {
      adsb: makeFleet(allotAircraft(SEED, aircraft).map((task, index) => aircraftTrack(SEED, index, task))),
      rid: makeFleet(allotDrones(SEED, drones).map((site, index) => droneTrack(SEED, index, site))),
    };
  }

  /** What is received within the box and window, by time. */
  received(layer: Layer, bbox: Bbox, window: Window): Observation[] {
    const received: Observation[] = [];
    this.#fleets[layer].forEachFlight(bbox, window, (flight) => {
      const phaseMs = flight.reception.phaseMs % PERIOD_MS;
      const heard = { ...flight, reception: { ...flight.reception, periodMs: PERIOD_MS, phaseMs } };
      const endMs = Math.min(flight.endMs, epochMs(window.end)) - flight.startMs;
      let tick = firstTickFrom(heard, Math.max(0, epochMs(window.start) - flight.startMs));
      for (let elapsedMs = tickMs(heard, tick); elapsedMs < endMs; tick += 1, elapsedMs = tickMs(heard, tick)) {
        if (!isReceived(heard, tick, elapsedMs)) continue;
        const sighting = sightingAt(heard, tick, elapsedMs);
        if (bboxContains(bbox, sighting.lon, sighting.lat)) received.push(withTrackKey(observe(sighting)));
      }
    });
    return received.sort((a, b) => epochMs(a.observedAt) - epochMs(b.observedAt));
  }
}

const keys = new Map<string, string>();

function withTrackKey(observation: Observation): Observation {
  let key = keys.get(observation.sourceId);
  if (!key) {
    key = createHash('sha256').update(observation.sourceId).digest('hex').slice(0, 32);
    keys.set(observation.sourceId, key);
  }
  return { ...observation, sourceId: key };
}
