import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bearingDeg, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { MERCATOR_MAX_LAT_DEG } from '#lib/geo/mercator.ts';
import { confidenceClass } from '#lib/model/confidence.ts';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import { drawPicture } from '#lib/picture/draw-picture.ts';
import { confidenceBits } from '#lib/picture/mark-style.ts';
import { makePicture } from '#lib/picture/picture.ts';
import { deriveMark, makeTrackColumns, type TrackColumns } from '#lib/picture/track-columns.ts';
import { VectorRecords } from './vectors-layer.ts';

const NOW_MS = 1_000_000;

interface Flown extends LonLat {
  readonly headingDeg: number;
  readonly speedMps: number;
}

function tracks(flown: readonly Flown[], expiresInMs: readonly number[] = [], styles: readonly number[] = []) {
  const columns = makeTrackColumns(flown.length);
  columns.end = flown.length;
  for (const [slot, track] of flown.entries())
    put(columns, slot, track, expiresInMs[slot] ?? 60_000, styles[slot] ?? 0);
  const picture = makePicture(flown.length);
  drawPicture(columns, NOW_MS, [], picture);
  return { columns, picture };
}

function put(columns: TrackColumns, slot: number, track: Flown, expiresInMs: number, style: number): void {
  columns.used[slot] = 1;
  columns.lon[slot] = track.lon;
  columns.lat[slot] = track.lat;
  columns.headingDeg[slot] = track.headingDeg;
  columns.speedMps[slot] = track.speedMps;
  columns.observedAtMs[slot] = NOW_MS - 1000;
  columns.expiresAtMs[slot] = NOW_MS + expiresInMs;
  columns.style[slot] = style;
  deriveMark(columns, slot);
}

function placeOf({ x, y }: { x: number; y: number }): LonLat {
  const lat = (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI;
  return { lon: wrapLongitude(x * 360 - 180), lat };
}

const anywhere = fc.record({
  lon: fc.double({ min: -180, max: 180, noNaN: true }),
  lat: fc.double({ min: -84, max: 84, noNaN: true }),
  headingDeg: fc.double({ min: 0, max: 360, noNaN: true }),
  speedMps: fc.double({ min: 1, max: 340, noNaN: true }),
});

describe('a speed vector', () => {
  test('ends where speed and heading lead along the great circle, also across 180°', () => {
    fc.assert(
      fc.property(anywhere, fc.constantFrom(60, 120, 300), (track, seconds) => {
        const { columns, picture } = tracks([track]);
        const vectors = new VectorRecords();
        vectors.pack(picture, columns, seconds);
        expect(vectors.count).toBe(1);
        const end = placeOf(vectors.endAt(0));
        const lengthM = track.speedMps * seconds;
        expect(Math.abs(distanceM(track, end) - lengthM)).toBeLessThan(0.01);
        if (lengthM > 1000) {
          const turned = Math.abs(bearingDeg(track, end) - track.headingDeg);
          expect(Math.min(turned, 360 - turned)).toBeLessThan(0.01);
        }
        expect(Math.abs(vectors.endAt(0).x - (picture.mercatorX[0] as number))).toBeLessThan(0.25);
      }),
    );
  });

  test('is drawn neither at the edge of the map nor over a pole', () => {
    const polar = (lat: number, headingDeg: number) => ({ lon: 10, lat, headingDeg, speedMps: 300 });
    const { columns, picture } = tracks([polar(85, 0), polar(MERCATOR_MAX_LAT_DEG + 1, 180), polar(-85, 180)]);
    const vectors = new VectorRecords();
    vectors.pack(picture, columns, 300);
    expect(vectors.count).toBe(0);
  });
});

describe('a track has no speed vector', () => {
  const flown = { lon: 8, lat: 47, headingDeg: 90, speedMps: 100 };
  test.each([
    ['once it expired', { flown, expiresInMs: 0 }],
    ['if it is labelled stale', { flown, style: confidenceBits(confidenceClass('stale')) }],
    ['without a reported speed', { flown: { ...flown, speedMps: Number.NaN } }],
    ['at speed 0', { flown: { ...flown, speedMps: 0 } }],
    ['without a reported heading', { flown: { ...flown, headingDeg: Number.NaN } }],
  ])('%s', (_, { flown: changed, ...state }: { flown: Flown; expiresInMs?: number; style?: number }) => {
    const { columns, picture } = tracks([changed, flown], [state.expiresInMs ?? 60_000], [state.style ?? FLAG_DRONE]);
    const vectors = new VectorRecords();
    vectors.pack(picture, columns, 60);
    expect(picture.count).toBe(2);
    expect(vectors.count).toBe(1);
  });
});

test('vectors differ from the last ones only if something is drawn differently', () => {
  const flown = { lon: 8, lat: 47, headingDeg: 90, speedMps: 100 };
  const { columns, picture } = tracks([flown, { ...flown, lat: 48 }]);
  const vectors = new VectorRecords();
  expect(vectors.pack(picture, columns, 60)).toBe(true);
  expect(vectors.pack(picture, columns, 60)).toBe(false);
  const end = vectors.endAt(1);
  put(columns, 1, { ...flown, lat: 48, headingDeg: 91 }, 60_000, 0);
  expect(vectors.pack(picture, columns, 60)).toBe(true);
  expect(vectors.endAt(1)).not.toEqual(end);
  expect(vectors.pack(picture, columns, 120)).toBe(true);
  columns.expiresAtMs[1] = NOW_MS;
  drawPicture(columns, NOW_MS, [], picture);
  expect(vectors.pack(picture, columns, 120)).toBe(true);
  expect(vectors.count).toBe(1);
});
