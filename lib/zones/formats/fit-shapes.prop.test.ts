import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distanceToEdgeM } from '#lib/geo/edges.ts';
import { cornerCount, simplified } from './fit-shapes.ts';
import { drafts, questions } from './import-file.fixture.ts';
import type { LonLatPair } from './read-values.ts';

const ring = fc
  .record({
    lon: fc.double({ min: -180, max: 179, noNaN: true }),
    radii: fc.array(fc.double({ min: 0.5, max: 1, noNaN: true }), { minLength: 5, maxLength: 40 }),
  })
  .map(({ lon, radii }) => {
    const open = radii.map((radius, index): LonLatPair => {
      const angle = (index / radii.length) * 2 * Math.PI;
      return [lon + 0.3 * radius * Math.cos(angle), 45 + 0.3 * radius * Math.sin(angle)];
    });
    return [...open, open[0] as LonLatPair];
  });

test('few enough corners stay, all of them corners of before, and none moves by more than stated', () => {
  fc.assert(
    fc.property(ring, fc.integer({ min: 4, max: 20 }), (edge, most) => {
      const { shape, movedM } = simplified({ type: 'Polygon', coordinates: [edge] }, most);
      const [kept = []] = shape.coordinates;
      expect(cornerCount(shape)).toBeLessThanOrEqual(most);
      expect(kept.length).toBeGreaterThanOrEqual(4);
      expect(kept.at(-1)).toEqual(kept[0]);
      for (const corner of kept) expect(edge).toContainEqual(corner);
      // 1 % for the plane in which distances are measured.
      for (const corner of edge) expect(toEdgeM(corner, kept)).toBeLessThanOrEqual(movedM * 1.01 + 0.01);
    }),
  );
});

test('a shape with few corners stays as it is', () => {
  fc.assert(
    fc.property(ring, (edge) => {
      const shape = { type: 'Polygon' as const, coordinates: [edge] };
      const same = simplified(shape, 500);
      expect(same.movedM).toBe(0);
      expect(cornerCount(same.shape)).toBeLessThanOrEqual(cornerCount(shape));
    }),
  );
});

test('an import asks before it removes corners, and says how far the edge moves', () => {
  const many = Array.from({ length: 601 }, (_, index): LonLatPair => {
    const angle = ((index % 600) / 600) * 2 * Math.PI;
    return [8 + 0.1 * Math.cos(angle), 47 + 0.1 * Math.sin(angle)];
  });
  const file = { type: 'Polygon', coordinates: [many] };
  expect(questions(file)).toEqual({ corners: ['Feature 1: 600 corners'] });
  const [draft] = drafts(file, { answers: { corners: 'simplify' } });
  expect(draft?.source?.words['lookout: corners']).toMatch(
    /^600 in the file, \d+ kept; the edge moves by at most 1 m$/,
  );
});

function toEdgeM([lon, lat]: LonLatPair, edge: readonly LonLatPair[]): number {
  const places = edge.map(([x, y]) => ({ lon: x, lat: y }));
  return Math.min(...places.slice(1).map((to, index) => distanceToEdgeM(places[index] ?? to, to, { lon, lat })));
}
