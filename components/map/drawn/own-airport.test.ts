import { expect, test } from 'vitest';
import { type DrawnAirport, ownAirport } from './own-airport.ts';

const airport = (codes: string, kind: DrawnAirport['kind'], lon: number, lat: number): DrawnAirport => ({
  name: codes,
  codes,
  kind,
  lon,
  lat,
});
const home = { lon: 8.55, lat: 47.45, zoom: 10, bearingDeg: 0 };
const zurich = airport('LSZH', 'large', 8.548, 47.458);
const duebendorf = airport('LSMD', 'medium', 8.648, 47.399);
const hospital = airport('LSHZ', 'heliport', 8.55, 47.45);

test('the desk’s own airport is the largest one around its home, and then the nearest', () => {
  expect(ownAirport([hospital, duebendorf, zurich], home)?.codes).toBe('LSZH');
  expect(ownAirport([hospital, duebendorf], home)?.codes).toBe('LSMD');
  const near = airport('NEAR', 'medium', 8.56, 47.45);
  expect(ownAirport([duebendorf, near], home)?.codes).toBe('NEAR');
});

test('a desk has none of its own where none is near, and where its home is a country', () => {
  expect(ownAirport([hospital], home)).toBeUndefined();
  expect(ownAirport([zurich], { ...home, lat: 46 })).toBeUndefined();
  expect(ownAirport([zurich], { ...home, zoom: 6 })).toBeUndefined();
});
