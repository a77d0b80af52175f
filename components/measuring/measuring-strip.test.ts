import { describe, expect, test } from 'vitest';
import type { MeasuringReading, PlacedAnchor } from '#lib/client/measuring/measuring.ts';
import { anchorText, legText, parseRadii, pointText, spokenReading, totalText } from './measuring-strip.tsx';

const place: PlacedAnchor = {
  ref: undefined,
  status: 'place',
  at: { lon: 8.54321, lat: 47.4 },
  simulated: false,
  testBroadcast: false,
};
const track: PlacedAnchor = { ...place, ref: 'RX-A-0000000000000001', status: 'current' };

describe('an end', () => {
  test('is a number, and on a track also its reference and tags', () => {
    expect(pointText(place, 0)).toBe('1');
    expect(pointText({ ...track, simulated: true }, 1)).toMatch(/^2 SIM \w+$/);
    expect(pointText({ ...track, testBroadcast: true }, 1)).toMatch(/^2 TEST \w+$/);
  });

  test('says what became of its track', () => {
    expect(anchorText({ ...track, status: 'expired' })).toMatch(/ \(expired\)$/);
    expect(anchorText({ ...track, status: 'ended' })).toMatch(/ \(no longer received\)$/);
    expect(anchorText({ ...track, status: 'unseen', at: undefined })).toMatch(/ \(not shown at this time\)$/);
  });

  test('at a place is its coordinates', () => {
    expect(anchorText(place)).toBe('47.4000, 8.5432');
  });
});

const known = { distanceM: 12_400, bearingDeg: 7.2 };
const unknown = { distanceM: undefined, bearingDeg: undefined };

test('a leg has a distance in the chosen units and a true bearing; an unknown one is never 0', () => {
  expect(legText('metric', known)).toBe('12.40 km · 007° true');
  expect(legText('aviation', known)).toBe('6.70 nm · 007° true');
  expect(legText('metric', { distanceM: 0, bearingDeg: undefined })).toBe('0 m');
  expect(legText('metric', unknown)).toBe('not known');
});

test('the whole is one sentence; without all legs there is no total', () => {
  const reading: MeasuringReading = {
    points: [place, track, place],
    legs: [known, known],
    totalM: 24_800,
    ringCentres: [],
  };
  expect(spokenReading('metric', reading)).toMatch(
    /^1 to 2 \w+: 12\.40 km · 007° true; 2 \w+ to 3: 12\.40 km · 007° true\. Total 24\.80 km\.$/,
  );
  expect(totalText('metric', { ...reading, legs: [known, unknown], totalM: undefined })).toBe('not known');
  expect(spokenReading('metric', { ...reading, points: [place], legs: [] })).toBe('Point 1.');
});

test('radii are numbers with commas or spaces between them, in ascending order', () => {
  expect(parseRadii('10, 2.5  1;5')).toEqual({ ok: true, radii: [1, 2.5, 5, 10] });
  expect(parseRadii('5, 5, ')).toEqual({ ok: true, radii: [5] });
});

test.each(['', ' , ', '0', '-1', '1,two', '1e9', '5001', '1.2345', 'Infinity', '１'])('%j is refused', (text) => {
  expect(parseRadii(text)).toMatchObject({ ok: false });
});

test('there are at most a dozen', () => {
  expect(parseRadii(Array.from({ length: 12 }, (_, at) => at + 1).join()).ok).toBe(true);
  expect(parseRadii(Array.from({ length: 13 }, (_, at) => at + 1).join()).ok).toBe(false);
});
