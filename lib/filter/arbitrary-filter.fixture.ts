import fc from 'fast-check';
import { arbitraryArea } from '#lib/geo/arbitrary-area.fixture.ts';
import { wrapEastEdge } from '#lib/geo/longitude.ts';
import type { TrackFilter, ValueRange } from './track-filter.ts';

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

function arbitraryRange(min: number, max: number): fc.Arbitrary<ValueRange> {
  const eighths = fc.integer({ min: min * 8, max: max * 8 });
  return fc.oneof(
    eighths.map((from) => ({ from: from / 8, to: undefined })),
    eighths.map((to) => ({ from: undefined, to: to / 8 })),
    fc.tuple(eighths, fc.integer({ min: 1, max: 8 * (max - min) })).map(([from, length]) => ({
      from: from / 8,
      to: (from + length) / 8,
    })),
  );
}

const box = fc
  .record({
    west: fc.integer({ min: -180, max: 179 }),
    south: fc.integer({ min: -90, max: 80 }),
    widthDeg: fc.integer({ min: 1, max: 90 }),
    heightDeg: fc.integer({ min: 1, max: 10 }),
  })
  .map(({ west, south, widthDeg, heightDeg }) => {
    const east = west + widthDeg;
    return { west, south, east: wrapEastEdge(east), north: south + heightDeg };
  });

export const arbitraryFilter: fc.Arbitrary<TrackFilter> = fc.record({
  kind: maybe(fc.constantFrom('drone', 'aircraft')),
  altitudeM: maybe(arbitraryRange(-500, 15_000)),
  heightAglM: maybe(arbitraryRange(-100, 500)),
  speedMps: maybe(arbitraryRange(0, 300)),
  receiverCount: maybe(arbitraryRange(0, 10)),
  ageS: maybe(arbitraryRange(0, 120)),
  confidence: maybe(
    fc.uniqueArray(fc.constantFrom('single', 'multi_station', 'stale', 'näher', 'x-1'), { minLength: 1 }),
  ),
  simulated: maybe(fc.constantFrom('hide', 'only')),
  testBroadcast: maybe(fc.constantFrom('hide', 'only')),
  emergency: maybe(fc.constantFrom('only', 'show')),
  inside: maybe(fc.oneof(fc.constant('view' as const), box, arbitraryArea)),
  unknown: fc.constantFrom('show', 'hide'),
});
