import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { PLACE_SPACING_PX, PLACES_ZOOM_MAX, rankedPlaces } from './ranked-places.ts';
import type { GeoNamesPlace } from './read-package-data.ts';

function place(name: string, lon: number, lat: number, population: number, featureCode = 'PPL'): GeoNamesPlace {
  return { name, featureCode, population, country: 'CH', loc: { coordinates: [lon, lat] } };
}

const crowd = fc.array(
  fc
    .record({
      lon: fc.double({ min: 5, max: 12, noNaN: true }),
      lat: fc.double({ min: 45, max: 50, noNaN: true }),
      population: fc.integer({ min: 0, max: 3_000_000 }),
    })
    .map(({ lon, lat, population }) => place('x', lon, lat, population)),
  { maxLength: 150 },
);

test('no two labels are closer than their spacing at any zoom', () => {
  fc.assert(
    fc.property(crowd, (places) => {
      const ranked = rankedPlaces(places);
      for (let zoom = 0; zoom <= PLACES_ZOOM_MAX; zoom++) {
        const worldPx = 512 * 2 ** zoom;
        const shown = ranked.filter(({ attributes }) => attributes.min_zoom <= zoom);
        for (const [i, a] of shown.entries()) {
          for (const b of shown.slice(i + 1)) {
            expect(
              Math.hypot(
                ((mercatorX(a.lon) - mercatorX(b.lon)) * worldPx) / PLACE_SPACING_PX.x,
                ((mercatorY(a.lat) - mercatorY(b.lat)) * worldPx) / PLACE_SPACING_PX.y,
              ),
            ).toBeGreaterThanOrEqual(1);
          }
        }
      }
    }),
    { numRuns: 40 },
  );
});

test('places are ordered by importance', () => {
  fc.assert(
    fc.property(crowd, (places) => {
      const ranks = rankedPlaces(places).map(({ attributes }) => attributes.rank);
      expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    }),
  );
});

test('a large city is not displaced by a smaller one that has room at a lower zoom', () => {
  const ranked = rankedPlaces([
    place('Berlin', 13.41, 52.52, 3_426_354, 'PPLC'),
    place('Hamburg', 9.99, 53.55, 1_739_117, 'PPLA'),
    place('Kiel', 10.14, 54.32, 235_782, 'PPLA'),
  ]);
  const minZoom = (name: string) => ranked.find(({ attributes }) => attributes.name === name)!.attributes.min_zoom;
  expect(minZoom('Hamburg')).toBeLessThan(minZoom('Kiel'));
});

test('a lone outpost appears at a lower zoom than an equally large place between cities', () => {
  const outpost = rankedPlaces([place('Longyearbyen', 15.64, 78.22, 2_060)]);
  const suburb = rankedPlaces([place('Zürich', 8.55, 47.37, 341_730), place('Uitikon', 8.45, 47.37, 2_060)]);
  expect(outpost[0]!.attributes.min_zoom).toBeLessThan(suburb[1]!.attributes.min_zoom);
});

test('city districts are dropped, and so are the disambiguating parts of names', () => {
  const ranked = rankedPlaces([
    place('Zürich (Kreis 11)', 8.54, 47.42, 54_260, 'PPLX'),
    place('Palikir - National Government Center', 158.16, 6.92, 0, 'PPLC'),
  ]);
  expect(ranked.map(({ attributes }) => attributes.name)).toEqual(['Palikir']);
});
