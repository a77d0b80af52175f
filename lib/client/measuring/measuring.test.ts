import { describe, expect, test } from 'vitest';
import { distanceM } from '#lib/geo/great-circle.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { measuringReading, type TracksNow } from './measuring.ts';
import { type Anchor, NOTHING_MEASURED } from './measuring-state.ts';

const zurich = { lon: 8.55, lat: 47.45 };
const track: Position = { ...plainPosition, ref: 'AAA', lon: 8.6, lat: 47.5 };

const now = (tracks: Partial<TracksNow>): TracksNow => ({
  isPast: false,
  trackOf: () => undefined,
  lastOf: () => undefined,
  ...tracks,
});
const measured = (...points: Anchor[]) => ({ ...NOTHING_MEASURED, points });

describe('an end on a track', () => {
  const toTrack = measured({ place: zurich }, { ref: 'AAA' });

  test('is at its last received position, current or expired', () => {
    for (const expired of [false, true]) {
      const reading = measuringReading(toTrack, now({ trackOf: () => ({ position: track, expired }) }));
      expect(reading.points[1]).toMatchObject({ status: expired ? 'expired' : 'current', at: { lon: 8.6, lat: 47.5 } });
      expect(reading.totalM).toBe(distanceM(zurich, track));
    }
  });

  test('moves only with a new position', () => {
    const moved = { ...track, lat: 47.6 };
    const reading = measuringReading(toTrack, now({ trackOf: () => ({ position: moved, expired: false }) }));
    expect(reading.totalM).toBe(distanceM(zurich, moved));
  });

  test('stays at the last received position once the track is removed, and says so', () => {
    const reading = measuringReading(toTrack, now({ lastOf: (ref) => (ref === 'AAA' ? track : undefined) }));
    expect(reading.points[1]?.status).toBe('ended');
    expect(reading.totalM).toBe(distanceM(zurich, track));
  });

  test('is nowhere in a replay that does not show the track: no leg, no total', () => {
    const reading = measuringReading(toTrack, now({ isPast: true, lastOf: () => track }));
    expect(reading.points[1]).toMatchObject({ status: 'unseen', at: undefined });
    expect(reading).toMatchObject({ legs: [{ distanceM: undefined, bearingDeg: undefined }], totalM: undefined });
  });

  test('is tagged as its record is', () => {
    const position = { ...track, simulated: true };
    const reading = measuringReading(toTrack, now({ trackOf: () => ({ position, expired: false }) }));
    expect(reading.points.map(({ simulated }) => simulated)).toEqual([false, true]);
  });
});

test('several legs have a total; a leg of no length has no bearing', () => {
  const reading = measuringReading(
    measured({ place: zurich }, { place: { lon: 9, lat: 47.45 } }, { place: zurich }),
    now({}),
  );
  expect(reading.totalM).toBeCloseTo(2 * distanceM(zurich, { lon: 9, lat: 47.45 }), 6);
  expect(reading.legs[0]?.bearingDeg).toBeCloseTo(89.83, 1);
  expect(
    measuringReading(
      measured({ place: zurich }, { ref: 'AAA' }),
      now({ trackOf: () => ({ position: { ...track, ...zurich }, expired: false }) }),
    ).legs,
  ).toEqual([{ distanceM: 0, bearingDeg: undefined }]);
});

test('nothing measured reads as nothing', () => {
  expect(measuringReading(NOTHING_MEASURED, now({}))).toEqual({
    points: [],
    legs: [],
    totalM: undefined,
    ringCentres: [],
  });
});
