import { expect, test } from 'vitest';
import { hatchImage } from './feature-images.ts';

const SIZE_PX = 24;
const { data } = hatchImage(SIZE_PX, 3, [255, 178, 36]);
const alpha = (row: number, column: number) => data[((row % SIZE_PX) * SIZE_PX + (column % SIZE_PX)) * 4 + 3] as number;

test('the stripes continue across the edges of the square', () => {
  for (let row = 0; row < SIZE_PX; row++) {
    for (let column = 0; column < SIZE_PX; column++) {
      expect(alpha(row + 1, column + SIZE_PX - 1)).toBe(alpha(row, column));
    }
  }
});

test('most of the ground stays clear, so that what was received there is visible', () => {
  const covered = data.reduce((sum, value, index) => sum + (index % 4 === 3 ? value / 255 : 0), 0) / SIZE_PX ** 2;
  expect(covered).toBeGreaterThan(0.1);
  expect(covered).toBeLessThan(0.25);
});
