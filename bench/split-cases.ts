import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { PastPart } from '#lib/server/history/parts/history-part.ts';
import type { ModelRecord } from '#lib/server/history/split/model-source.fixture.ts';
import { bursts, steadyTraffic } from '#lib/server/history/split/simulated-traffic.fixture.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { SWISS } from './recordings.ts';

export interface SplitCase {
  readonly kind: 'swiss' | 'hub' | 'bursts';
  readonly records: readonly ModelRecord[];
  readonly job: PastPart;
}

const SWISS_BOXES = [
  { west: 5.9, south: 45.8, east: 10.6, north: 47.9 },
  { west: 8.2, south: 45.8, east: 10.5, north: 47.9 },
  { west: 8, south: 47, east: 9.2, north: 47.8 },
  { west: 5.95, south: 45.9, east: 6.9, north: 46.6 },
];

/** On 2018-08-01, UTC. 11:00 is the busiest whole hour. */
const SWISS_HOURS = ['09:00:00', '11:00:00', '10:37:12', '12:23:45'];
const SWISS_QUARTERS = ['11:30:00', '11:02:10'];

const HUB = { west: 8, south: 47, east: 10, north: 49 };
const BURSTS = [
  { count: 6, records: 400, spanMs: 8000 },
  { count: 12, records: 700, spanMs: 8000 },
  { count: 6, records: 3000, spanMs: 20_000 },
];

export function splitCases(): readonly SplitCase[] {
  return [...swissCases(), ...hubCases(), ...burstCases()];
}

function swissCases(): readonly SplitCase[] {
  const lines = gunzipSync(readFileSync(SWISS)).toString('utf8').trimEnd().split('\n');
  const records = lines.map((line): ModelRecord => {
    const { t, id, lon, lat } = JSON.parse(line) as { t: string; id: string; lon: number; lat: number };
    return { observedAt: upstreamInstant(Date.parse(t)), lon, lat, track: id };
  });
  const windowAt = (time: string, minutes: number) => windowFrom(Date.parse(`2018-08-01T${time}Z`), minutes);
  const hours = SWISS_HOURS.map((time) => windowAt(time, 60));
  const windows = [...hours, ...SWISS_QUARTERS.map((time) => windowAt(time, 15))];
  return SWISS_BOXES.flatMap((bbox) =>
    windows.map((window): SplitCase => ({ kind: 'swiss', records, job: { bbox, window } })),
  );
}

/** 600 tracks observed every second, half of them in the box's central hundredth. */
function hubCases(): readonly SplitCase[] {
  const quarterHour = { bbox: HUB, window: windowFrom(Date.UTC(2026, 10, 21, 10), 15) };
  const within = { bbox: HUB, window: windowFrom(Date.UTC(2026, 10, 21, 10, 3, 7), 5) };
  return [true, false].flatMap((atWholeSeconds) => {
    const records = steadyTraffic(quarterHour, { tracks: 600, everyMs: 1000, inMiddle: 0.5, seed: 1, atWholeSeconds });
    return [quarterHour, within].map((job): SplitCase => ({ kind: 'hub', records, job }));
  });
}

function burstCases(): readonly SplitCase[] {
  const job = { bbox: HUB, window: windowFrom(Date.UTC(2026, 10, 21, 10), 60) };
  return BURSTS.flatMap((shape) =>
    [1, 2, 3, 4].map((seed): SplitCase => {
      const steady = steadyTraffic(job, { tracks: 30, everyMs: 10_000, atWholeSeconds: false, inMiddle: 0, seed });
      return { kind: 'bursts', records: [...steady, ...bursts(job, { ...shape, seed })], job };
    }),
  );
}

function windowFrom(startMs: number, minutes: number) {
  return { start: upstreamInstant(startMs), end: upstreamInstant(startMs + minutes * MINUTE_MS) };
}
