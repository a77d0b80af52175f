import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { panIntoView } from './use-map-camera.ts';

const length = fc.integer({ min: 1, max: 3000 });
const size = fc.record({ width: length, height: length });
const MARGIN_PX = 40;

describe('panIntoView', () => {
  test('brings what was in view back into view, and leaves alone what was not', () => {
    fc.assert(
      fc.property(
        size,
        size,
        fc.double({ min: -1, max: 2, noNaN: true }),
        fc.double({ min: -1, max: 2, noNaN: true }),
        (before, now, xFraction, yFraction) => {
          const was = { x: before.width * xFraction, y: before.height * yFraction };
          const point = { x: was.x - before.width / 2 + now.width / 2, y: was.y - before.height / 2 + now.height / 2 };
          const [byX, byY] = panIntoView(point, before, now, MARGIN_PX);
          const isWellIn = (part: number) => part > 0.001 && part < 0.999;
          const isOut = (part: number) => part < -0.001 || part > 1.001;
          if (now.width >= before.width) expect(byX).toBe(0);
          if (now.height >= before.height) expect(byY).toBe(0);
          if (isOut(xFraction) || isOut(yFraction)) {
            expect([byX, byY]).toEqual([0, 0]);
          } else if (isWellIn(xFraction) && isWellIn(yFraction)) {
            for (const [at, end, hasShrunk] of [
              [point.x - byX, now.width, now.width < before.width],
              [point.y - byY, now.height, now.height < before.height],
            ] as const) {
              if (!hasShrunk) continue;
              const margin = Math.min(MARGIN_PX, end / 2);
              expect(at).toBeGreaterThanOrEqual(margin - 1e-6);
              expect(at).toBeLessThanOrEqual(end - margin + 1e-6);
            }
          }
        },
      ),
    );
  });

  test('does not move a map on which the point is well inside', () => {
    const [before, now] = [
      { width: 800, height: 600 },
      { width: 800, height: 300 },
    ];
    expect(panIntoView({ x: 400, y: 150 }, before, now, MARGIN_PX)).toEqual([0, 0]);
    expect(panIntoView({ x: 400, y: 350 }, before, now, MARGIN_PX)).toEqual([0, 90]);
  });
});
