import { describe, expect, test } from 'vitest';
import { dashesRound, MARK_MEASURES } from '#components/ui/marks/mark-measures.ts';
import { outlineLengthPx, SILHOUETTE_NAMES, silhouette } from '#components/ui/marks/silhouettes.ts';
import {
  FIELD_CHANNELS,
  FIELD_HALF_PX,
  FIELD_RANGE_PX,
  FIELD_SIZE,
  markDistanceField,
  signedDistancePx,
} from './mark-distance-field.ts';

const texelPx = (2 * FIELD_HALF_PX) / FIELD_SIZE;
const byteStepPx = (2 * FIELD_RANGE_PX) / 255;

function sample(field: Uint8Array, x: number, y: number, channel: number): number {
  const column = Math.floor((x + FIELD_HALF_PX) / texelPx);
  const row = Math.floor((y + FIELD_HALF_PX) / texelPx);
  return (field[(row * FIELD_SIZE + column) * FIELD_CHANNELS + channel]! / 255) * 2 - 1;
}

describe.each(SILHOUETTE_NAMES)('the field of %s', (name) => {
  const shape = silhouette(name);
  const field = markDistanceField(shape);

  test('is negative in the middle and at its limit along the edge', () => {
    expect(sample(field, 0.1, 0.1, 0)).toBeLessThan(0);
    for (let at = -FIELD_HALF_PX + texelPx / 2; at < FIELD_HALF_PX; at += texelPx) {
      for (const [x, y] of [
        [at, -14.9],
        [at, 14.9],
        [-14.9, at],
        [14.9, at],
      ] as const) {
        // Nothing is drawn beyond the halo, so no field cuts off its mark.
        expect(sample(field, x, y, 0) * FIELD_RANGE_PX).toBeGreaterThan(
          1.5 + MARK_MEASURES.gapPx + MARK_MEASURES.haloPx,
        );
      }
    }
  });

  test('stores the distance to the outline in every texel, to the precision of a byte', () => {
    for (let row = 0; row < FIELD_SIZE; row += 7) {
      for (let column = 0; column < FIELD_SIZE; column += 7) {
        const [x, y] = [(column + 0.5) * texelPx - FIELD_HALF_PX, (row + 0.5) * texelPx - FIELD_HALF_PX];
        const truePx = Math.max(-FIELD_RANGE_PX, Math.min(FIELD_RANGE_PX, signedDistancePx(shape.outline, x, y)));
        expect(Math.abs(sample(field, x, y, 0) * FIELD_RANGE_PX - truePx)).toBeLessThanOrEqual(byteStepPx);
      }
    }
  });

  test('centres a dash on the nose', () => {
    const [x, y] = shape.outline[0]!;
    expect(sample(field, x + 0.01, y - 0.5, 1)).toBeGreaterThan(0.9);
  });

  test('has dashes all the way round', () => {
    const lengthPx = outlineLengthPx(name);
    const radiansPerPx = (2 * Math.PI * dashesRound(lengthPx)) / lengthPx;
    let beforePx = 0;
    shape.outline.forEach(([x, y], index) => {
      const [nextX, nextY] = shape.outline[(index + 1) % shape.outline.length]!;
      const edgePx = Math.hypot(nextX - x, nextY - y);
      const expected = (beforePx + edgePx / 2) * radiansPerPx;
      const [middleX, middleY] = [(x + nextX) / 2, (y + nextY) / 2];
      const phase = Math.atan2(sample(field, middleX, middleY, 2), sample(field, middleX, middleY, 1));
      expect(Math.cos(phase - expected)).toBeGreaterThan(Math.cos(((texelPx * Math.SQRT2) / 2) * radiansPerPx + 0.02));
      beforePx += edgePx;
    });
  });
});
