import { expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { windowLengthMs } from '#lib/time/window.ts';
import { plainPosition } from '../../model/plain-position.fixture.ts';
import { BoxLoad, type BoxToLoad } from './box-load.ts';
import { type PastPart, packObservations } from './parts/history-part.ts';

const start = upstreamInstant(Date.UTC(2026, 10, 21, 10));
const box: BoxToLoad = {
  layer: 'adsb',
  bbox: { west: 8, south: 47, east: 9, north: 48 },
  window: { start, end: addMs(start, 60 * MINUTE_MS) },
};

function position(index: number, observedAt: UpstreamInstant): Position {
  return {
    ...plainPosition,
    ref: `test-A-${index.toString(16).toUpperCase().padStart(16, '0')}`,
    observedAt,
    lon: 8.5,
    lat: 47.5,
    altitudeM: 900,
    speedMps: 60,
    headingDeg: 90,
    confidence: 'single',
    receiverCount: 1,
    emergencyState: 'unknown',
  };
}

async function whole(part: PastPart, observedAts: readonly UpstreamInstant[]) {
  return {
    ...part,
    layer: box.layer,
    records: observedAts.length,
    truncated: false,
    unreadable: 0,
    body: await packObservations(observedAts.map((at, index) => position(index, at))),
  };
}

test('the length of a part follows the density at the end of the one before, not its mean', async () => {
  const load = await BoxLoad.begin(box, { expectedPerSecond: 0.5, maxRequests: 99, parts: [], cached: [] });
  const first = load.next() as PastPart;
  const begins = addMs(first.window.end, -5 * MINUTE_MS);
  const observedAts = Array.from({ length: 600 }, (_, index) => addMs(begins, index * 500));
  await load.answered(first, await whole(first, observedAts), false);
  const second = load.next() as PastPart;
  expect(second.window.start).toBe(first.window.end);
  expect(windowLengthMs(first.window)).toBeGreaterThanOrEqual(20 * MINUTE_MS);
  expect(windowLengthMs(second.window)).toBeLessThan(windowLengthMs(first.window) / 2);
});
