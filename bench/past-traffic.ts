import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { ComputedSource, Observation } from '#service/sources/observation.ts';
import { openRecordings } from '#service/sources/recording/open-recordings.ts';
import { simulate } from '#service/sources/simulator/simulator.ts';
import { makeTracks } from '#service/sources/simulator/traffic.ts';

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
  readonly #source: ComputedSource;

  /** @param aircraft and drones in all the world */
  constructor(aircraft: number, drones: number) {
    const tracks = makeTracks({ seed: SEED, aircraft, drones });
    this.#source = simulate(
      tracks.map((track) => ({ ...track, coverage: { ...track.coverage, periodMs: [PERIOD_MS, PERIOD_MS] } })),
    );
  }

  /** What is received within the box and window, by time. */
  received(layer: Layer, bbox: Bbox, window: Window): Observation[] {
    return this.#source.history(layer, bbox, window, Number.POSITIVE_INFINITY).observations.map(withTrackKey);
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
