import fc from 'fast-check';
import type { Bbox } from '#lib/geo/bbox.ts';

/** With up to seven decimals. Most of fast-check's own doubles are close to 0. */
export function decimal(min: number, max: number): fc.Arbitrary<number> {
  const fine = fc.integer({ min: Math.ceil(min * 1e7), max: Math.floor(max * 1e7) }).map((units) => units / 1e7);
  const whole = fc.integer({ min: Math.ceil(min), max: Math.floor(max) });
  return Math.floor(max) < Math.ceil(min) ? fine : fc.oneof({ weight: 4, arbitrary: fine }, whole);
}

export const longitude = decimal(-180, 180);
export const latitude = decimal(-90, 90);

export const anyBbox: fc.Arbitrary<Bbox> = fc
  .record({ west: longitude, south: latitude, east: longitude, north: latitude })
  .filter(({ west, south, east, north }) => west !== east && Math.abs(west - east) !== 360 && south < north);
