import { describe, expect, test } from 'vitest';
import { bboxContains, bboxCovers, formatBbox, lonSpanDeg } from './bbox.ts';

const box = (west: number, east: number) => ({ west, south: -10, east, north: 10 });

describe('bboxContains', () => {
  test('180 and -180 are the same meridian, for boxes ending or starting there', () => {
    for (const lon of [180, -180]) {
      expect(bboxContains(box(170, 180), lon, 0)).toBe(true);
      expect(bboxContains(box(-180, -170), lon, 0)).toBe(true);
      expect(bboxContains(box(170, -170), lon, 0)).toBe(true);
      expect(bboxContains(box(-170, 170), lon, 0)).toBe(false);
    }
  });

  test('a box across 180° contains points on both sides of it, and not the rest of the world', () => {
    const pacific = box(170, -170);
    expect([175, -175, 170, -170].every((lon) => bboxContains(pacific, lon, 0))).toBe(true);
    expect([0, 169.9, -169.9].some((lon) => bboxContains(pacific, lon, 0))).toBe(false);
  });

  test('edges and corners belong to the box', () => {
    expect(bboxContains(box(8, 9), 8, -10)).toBe(true);
    expect(bboxContains(box(8, 9), 9, 10)).toBe(true);
    expect(bboxContains(box(8, 9), 8.5, 10.000001)).toBe(false);
  });

  test('contains no NaN coordinates', () => {
    expect(bboxContains(box(-180, 180), Number.NaN, 0)).toBe(false);
    expect(bboxContains(box(-180, 180), 0, Number.NaN)).toBe(false);
  });
});

describe('bboxCovers', () => {
  test('a box across 180° covers its two halves, but nothing that extends beyond', () => {
    expect(bboxCovers(box(170, -170), box(170, 180))).toBe(true);
    expect(bboxCovers(box(170, -170), box(-180, -170))).toBe(true);
    expect(bboxCovers(box(170, -170), box(169, 180))).toBe(false);
    expect(bboxCovers(box(170, 180), box(170, -170))).toBe(false);
  });

  test('a box of all longitudes covers every box of its height', () => {
    expect(bboxCovers(box(-180, 180), box(170, -170))).toBe(true);
    expect(lonSpanDeg(box(-180, 180))).toBe(360);
  });
});

describe('formatBbox', () => {
  test('writes plain decimals in the order of the contract', () => {
    expect(formatBbox({ west: -5.25, south: 47, east: 8.1234567, north: 48.5 })).toBe('-5.25,47,8.1234567,48.5');
  });

  test('writes tiny numbers without an exponent, and zero without a sign', () => {
    expect(formatBbox({ west: -1e-7, south: -0, east: 5e-7, north: 1e-9 })).toBe('-0.0000001,0,0.0000005,0');
  });
});
