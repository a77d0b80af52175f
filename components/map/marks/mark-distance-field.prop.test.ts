import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SILHOUETTE_NAMES, type SymbolPoint, silhouette } from '#components/ui/marks/silhouettes.ts';
import { signedDistancePx } from './mark-distance-field.ts';

const coordinate = fc.double({ min: -14, max: 14, noNaN: true });

/** A definition of "inside" independent of the even-odd rule. */
function windingNumber(polygon: readonly SymbolPoint[], x: number, y: number): number {
  const angles = polygon.map(([px, py]) => Math.atan2(py - y, px - x));
  const total = angles.reduce((sum, angle, index) => {
    const step = angles[(index + 1) % angles.length]! - angle;
    return sum + step - 2 * Math.PI * Math.round(step / (2 * Math.PI));
  }, 0);
  return Math.round(total / (2 * Math.PI));
}

test('distances are negative inside the outline and nowhere else', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SILHOUETTE_NAMES), coordinate, coordinate, (name, x, y) => {
      const { outline } = silhouette(name);
      const distance = signedDistancePx(outline, x, y);
      fc.pre(Math.abs(distance) > 1e-6);
      expect(distance < 0).toBe(windingNumber(outline, x, y) !== 0);
    }),
    { numRuns: 500 },
  );
});

test('a step never changes the distance by more than its length', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SILHOUETTE_NAMES),
      coordinate,
      coordinate,
      coordinate,
      coordinate,
      (name, x, y, otherX, otherY) => {
        const { outline } = silhouette(name);
        const change = signedDistancePx(outline, x, y) - signedDistancePx(outline, otherX, otherY);
        expect(Math.abs(change)).toBeLessThanOrEqual(Math.hypot(x - otherX, y - otherY) + 1e-9);
      },
    ),
  );
});

test('the distance to a square equals the formula for a square', () => {
  const square: SymbolPoint[] = [
    [-5, -5],
    [5, -5],
    [5, 5],
    [-5, 5],
  ];
  fc.assert(
    fc.property(coordinate, coordinate, (x, y) => {
      const [outX, outY] = [Math.abs(x) - 5, Math.abs(y) - 5];
      const expected = Math.hypot(Math.max(outX, 0), Math.max(outY, 0)) + Math.min(Math.max(outX, outY), 0);
      fc.pre(Math.abs(expected) > 1e-9);
      expect(signedDistancePx(square, x, y)).toBeCloseTo(expected, 9);
    }),
  );
});
