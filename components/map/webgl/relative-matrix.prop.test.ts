import fc from 'fast-check';
import { expect, test } from 'vitest';
import { relativeMatrix } from './quads.ts';
import { screenPoint, viewMatrix } from './view-matrix.fixture.ts';

test('a position near the middle is within a tenth of a pixel of double precision at zoom 20', () => {
  fc.assert(
    fc.property(
      fc.record({
        widthPx: fc.constant(1280),
        heightPx: fc.constant(800),
        centreX: fc.double({ min: 0, max: 1, noNaN: true }),
        centreY: fc.double({ min: 0, max: 1, noNaN: true }),
        zoom: fc.constant(20),
        bearingDeg: fc.double({ min: -180, max: 180, noNaN: true }),
        pitchDeg: fc.double({ min: 0, max: 45, noNaN: true }),
      }),
      fc.double({ min: -300, max: 300, noNaN: true }),
      fc.double({ min: -300, max: 300, noNaN: true }),
      (view, eastPx, southPx) => {
        const px = 1 / (512 * 2 ** view.zoom);
        const m = relativeMatrix(new Float32Array(16), viewMatrix(view), view.centreX, view.centreY);
        const [x, y] = [Math.fround(eastPx * px), Math.fround(southPx * px)];
        const w = m[3]! * x + m[7]! * y + m[15]!;
        const drawnX = (((m[0]! * x + m[4]! * y + m[12]!) / w + 1) / 2) * view.widthPx;
        const drawnY = ((1 - (m[1]! * x + m[5]! * y + m[13]!) / w) / 2) * view.heightPx;
        const [trueX, trueY] = screenPoint(view, view.centreX + eastPx * px, view.centreY + southPx * px)!;
        expect(Math.hypot(drawnX - trueX, drawnY - trueY)).toBeLessThan(0.1);
      },
    ),
  );
});
