import fc from 'fast-check';
import { expect, test } from 'vitest';
import { destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { aerodromeGround } from './airport-archive.ts';

const runway = fc
  .record({
    lon: fc.double({ min: 8, max: 8.05, noNaN: true }),
    lat: fc.double({ min: 47, max: 47.05, noNaN: true }),
    courseDeg: fc.integer({ min: 0, max: 359 }),
    lengthM: fc.integer({ min: 300, max: 4000 }),
  })
  .map(({ courseDeg, lengthM, ...from }) => {
    const to = destination(from, courseDeg, lengthM);
    return {
      ends: [
        { ident: 'a', ...from },
        { ident: 'b', ...to },
      ] as const,
    };
  });

function contains(ring: readonly LonLat[], point: LonLat): boolean {
  return ring.every((a, i) => {
    const b = ring[(i + 1) % ring.length]!;
    return (b.lon - a.lon) * (point.lat - a.lat) - (b.lat - a.lat) * (point.lon - a.lon) < 1e-12;
  });
}

test('The ground of an aerodrome has every runway and 60 m beyond each end, and reaches no further than 160 m', () => {
  fc.assert(
    fc.property(fc.array(runway, { minLength: 1, maxLength: 4 }), (runways) => {
      const ring = aerodromeGround(runways);
      const ends = runways.flatMap(({ ends: [a, b] }) => [a, b]);
      for (const end of ends) expect(contains(ring, end)).toBe(true);
      for (const corner of ring) expect(Math.min(...ends.map((end) => distanceM(end, corner)))).toBeLessThan(160);
    }),
  );
});
