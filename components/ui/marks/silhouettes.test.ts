import { describe, expect, test } from 'vitest';
import {
  outlineLengthPx,
  outlinePath,
  SILHOUETTE_NAMES,
  type SilhouetteName,
  silhouette,
  silhouetteName,
} from './silhouettes.ts';

describe.each(SILHOUETTE_NAMES)('%s', (name) => {
  const { outline } = silhouette(name);

  test('is symmetrical', () => {
    const has = (x: number, y: number) => outline.some(([px, py]) => Math.hypot(px - x, py - y) < 0.05);
    for (const [x, y] of outline) expect(has(-x, y)).toBe(true);
  });

  test('starts ahead of the position and runs clockwise', () => {
    expect(outline[0]![0]).toBeCloseTo(0);
    expect(outline[0]![1]).toBeCloseTo(Math.min(...outline.filter(([x]) => Math.abs(x) < 0.05).map(([, y]) => y)));
    const twiceArea = outline.reduce((sum, [x, y], index) => {
      const [nextX, nextY] = outline[(index + 1) % outline.length]!;
      return sum + x * nextY - nextX * y;
    }, 0);
    expect(twiceArea).toBeGreaterThan(0);
  });

  test('stays within 11 pixels of the position, so that a mark is about 22 wide', () => {
    for (const [x, y] of outline) expect(Math.hypot(x, y)).toBeLessThanOrEqual(11);
  });

  test('has a path with one closed part', () => {
    expect(outlinePath(name)).toMatch(/^M-?[\d.]+ -?[\d.]+(L-?[\d.]+ -?[\d.]+)+Z$/);
  });
});

test('the outline of a disc has the length of its circumference', () => {
  expect(outlineLengthPx('aircraft-without-heading')).toBeCloseTo(2 * Math.PI * 6.6, 0);
});

test('without a reported heading a mark has no nose, and a drone keeps its rotors', () => {
  const height = (name: SilhouetteName) => {
    const ys = silhouette(name).outline.map(([, y]) => y);
    return Math.max(...ys) - Math.min(...ys);
  };
  const rotors = (name: SilhouetteName) =>
    silhouette(name).outline.filter(([x, y]) => Math.min(Math.abs(x), Math.abs(y)) > 3);
  for (const kind of ['aircraft', 'drone'] as const)
    expect(height(silhouetteName(kind, false))).toBeLessThan(height(silhouetteName(kind, true)));
  expect(rotors('drone-without-heading')).toEqual(rotors('drone'));
});
