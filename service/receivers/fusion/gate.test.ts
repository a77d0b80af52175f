import { describe, expect, test } from 'vitest';
import { destination } from '#lib/geo/great-circle.ts';
import type { Fix } from '../fix.ts';
import { fixOf, START_MS } from './fusion.fixture.ts';
import { isReachable, type TimedFix } from './gate.ts';

const timed = (fix: Partial<Fix>, afterMs = 0, slackMs = 0): TimedFix => ({
  fix: fixOf(fix),
  observedMs: START_MS + afterMs,
  slackMs,
});

function reaches(lengthM: number, afterMs: number, change: Partial<Fix> = {}, from: Partial<Fix> = {}, slackMs = 0) {
  const there = destination({ lon: 8.5, lat: 47.4 }, 70, lengthM);
  return isReachable(timed(from), timed({ ...there, ...change }, afterMs, slackMs));
}

describe('an aircraft', () => {
  test.each([
    ['flies on at its speed', 200, 1000, {}, true],
    ['is not 1 km further a second later', 1000, 1000, {}, false],
    ['is not 20 km away ten seconds later', 20_000, 10_000, {}, false],
    ['may be 20 km away 80 seconds later', 20_000, 80_000, {}, true],
    ['may have sped up since the last message', 3000, 10_000, { speedMps: 260 }, true],
    ['is not faster than anything that flies', 3000, 1000, { speedMps: 5000 }, false],
    ['is let 250 m of error where it was measured', 500, 1000, { origin: 'mlat' }, true],
    ['is not let 1 km of it', 1000, 1000, { origin: 'mlat' }, false],
  ] as const)('%s', (_, lengthM, afterMs, change, expected) => {
    expect(reaches(lengthM, afterMs, change)).toBe(expected);
  });

  test('of unknown speed may be fast in the air, but not on the ground', () => {
    expect(reaches(500, 1000, { speedMps: null })).toBe(false);
    expect(reaches(500, 1000, { speedMps: null }, { speedMps: null })).toBe(true);
    const ground = { onGround: true, speedMps: null };
    expect(reaches(500, 1000, ground, ground)).toBe(false);
    expect(reaches(100, 1000, ground, ground)).toBe(true);
  });

  test('may be further by the clocks’ uncertainty', () => {
    expect(reaches(600, 500)).toBe(false);
    expect(reaches(600, 500, {}, {}, 2000)).toBe(true);
  });
});

describe('a drone', () => {
  const drone = { layer: 'rid', speedMps: 5, accuracyM: 10 } as const;
  test.each([
    ['flies on', 40, 1000, {}, true],
    ['is not 300 m further a second later', 300, 1000, {}, false],
    ['is as fast as it says', 300, 1000, { speedMps: 110 }, true],
    ['is not as fast as anything it says', 5000, 1000, { speedMps: 5000 }, false],
    ['is as uncertain as it says', 300, 1000, { accuracyM: 300 }, true],
    ['is not as uncertain as anything it says', 5000, 1000, { accuracyM: 18_520 }, false],
  ] as const)('%s', (_, lengthM, afterMs, change, expected) => {
    expect(reaches(lengthM, afterMs, { ...drone, ...change }, drone)).toBe(expected);
  });
});

test('measures distances across 180°', () => {
  expect(isReachable(timed({ lon: 179.9995 }), timed({ lon: -179.9995 }, 1000))).toBe(true);
});
