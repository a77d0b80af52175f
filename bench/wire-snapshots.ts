import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Position } from '#lib/model/position.ts';
import { toPosition } from '#lib/server/upstream/to-position.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { REFERENCE_PERIOD_MS } from '#service/references/public-reference.ts';
import { cacheReferences } from '#service/references/reference-cache.ts';
import type { Observation, Source } from '#service/sources/observation.ts';
import { openRecordings } from '#service/sources/recording/open-recordings.ts';
import { makeSimulator } from '#service/sources/simulator/simulator.ts';
import { wireRecord } from '#service/wire/wire-record.ts';

/** Consecutive snapshots of one area. */
export interface SnapshotSeries {
  readonly name: string;
  readonly everyMs: number;
  readonly snapshots: readonly (readonly Position[])[];
}

const at = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const world = { west: -180, south: -90, east: 180, north: 90 };
const recordings = join(dirname(dirname(fileURLToPath(import.meta.url))), '../shared/recordings');
const swiss = join(recordings, 'adsb-traffic_switzerland_20180801.jsonl.gz');
const nevada = join(recordings, 'adsb-readsb_blackrock_20230829.jsonl.gz');

const referenceOf = cacheReferences({
  secret: new TextEncoder().encode('the benchmark has no secrets'),
  prefix: 'RX',
  periodMs: REFERENCE_PERIOD_MS,
});

export function hasRecordings(): boolean {
  return existsSync(swiss) && existsSync(nevada);
}

/** The Swiss recording has a grid of 10 s; the other receiver's steps are about 5 s. */
const GRID_MS = 10_000;

export async function recordedSeries(): Promise<SnapshotSeries[]> {
  const [overSwitzerland, overNevada] = [await recording(swiss), await recording(nevada)];
  return [
    series('Switzerland, densest minutes', GRID_MS, 30, (now) => observedAt(overSwitzerland, now)),
    series('Nevada, densest minutes', GRID_MS, 30, (now) => observedAt(overNevada, now)),
    series('Switzerland, 30 snapshots overlaid', GRID_MS, 4, (now) => overlaid(overSwitzerland, now, 30)),
  ];
}

export function simulatedSeries(aircraft: number): SnapshotSeries {
  const source = makeSimulator({ seed: 1, aircraft, drones: 0 });
  return series(`simulator, ${aircraft} aircraft`, 5000, 2, (now) => observedAt(source, now));
}

function series(
  name: string,
  everyMs: number,
  count: number,
  observe: (now: UpstreamInstant) => Position[],
): SnapshotSeries {
  return { name, everyMs, snapshots: Array.from({ length: count }, (_, step) => observe(addMs(at, step * everyMs))) };
}

async function recording(file: string): Promise<Source> {
  return (await openRecordings({ files: [file], anchor: at })).source;
}

function observedAt(source: Source, now: UpstreamInstant): Position[] {
  return source.live('adsb', world, now).map(received);
}

/**
 * Overlays `count` snapshots 12 minutes apart, each aircraft of each as its own track: as many real aircraft as an area
 * may have.
 */
function overlaid(source: Source, now: UpstreamInstant, count: number): Position[] {
  return Array.from({ length: count }, (_, index) => {
    const earlierMs = index * 720_000;
    return source.live('adsb', world, addMs(now, -earlierMs)).map((observation) =>
      received({
        ...observation,
        sourceId: `${observation.sourceId}/${index}`,
        observedAt: addMs(observation.observedAt, earlierMs),
      }),
    );
  }).flat();
}

/** The position that the app reads from the service's record. */
function received(observation: Observation): Position {
  const reference = referenceOf(observation.sourceId, 'adsb', at);
  return toPosition(wireRecord('live', reference, observation)) as Position;
}
