import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Mode } from '#lib/contract/operation.ts';
import type { Position } from '#lib/model/position.ts';
import { toPosition } from '#lib/server/upstream/read-page.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { cacheReferences, REFERENCE_PERIOD_MS } from '#service/references/public-reference.ts';
import type { ComputedSource, Observation } from '#service/sources/observation.ts';
import { openRecordings } from '#service/sources/recording/open-recordings.ts';
import { wireRecord } from '#service/wire/wire-record.ts';

const FOLDER = join(import.meta.dirname, '../../shared/recordings');
export const SWISS = join(FOLDER, 'adsb-traffic_switzerland_20180801.jsonl.gz');
export const NEVADA = join(FOLDER, 'adsb-readsb_blackrock_20230829.jsonl.gz');
const SWITZERLAND = { west: 5.5, south: 45.5, east: 10.5, north: 48 };

export const BUSIEST = upstreamInstant(Date.UTC(2026, 10, 21, 12));

export async function openRecording(file: string): Promise<ComputedSource> {
  if (!existsSync(file)) throw new Error(`${file} is missing: see "Recordings" in docs/performance.md`);
  return (await openRecordings({ files: [file], anchor: BUSIEST })).source;
}

export async function swissHour(): Promise<readonly Observation[]> {
  const window = { start: addMs(BUSIEST, -HOUR_MS), end: BUSIEST };
  return (await openRecording(SWISS)).history('adsb', SWITZERLAND, window, Number.MAX_SAFE_INTEGER).observations;
}

const referenceOf = cacheReferences({
  secret: new TextEncoder().encode('the benchmark has no secrets'),
  prefix: 'RX',
  periodMs: REFERENCE_PERIOD_MS,
});

/** References are random 64-bit numbers. */
export function received(observation: Observation, mode: Mode = 'live'): Position {
  const reference = referenceOf(observation.sourceId, observation.layer, BUSIEST);
  return toPosition(wireRecord(mode, reference, observation)) as Position;
}
