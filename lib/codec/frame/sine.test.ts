import { expect, test } from 'vitest';
import { cosineOfDeg, sineOfDeg } from './sine.ts';

test('sine and cosine are accurate to 1e-9 for any angle', () => {
  for (let deg = -1000; deg <= 1000; deg += 0.7) {
    expect(Math.abs(sineOfDeg(deg) - Math.sin((deg * Math.PI) / 180))).toBeLessThan(1e-9);
    expect(Math.abs(cosineOfDeg(deg) - Math.cos((deg * Math.PI) / 180))).toBeLessThan(1e-9);
  }
});

test('sines are bit-identical everywhere', () => {
  expect([0, 30, 47.3, 90, 201.7, 359.9].map((deg) => sineOfDeg(deg))).toMatchInlineSnapshot(`
    [
      0,
      0.5,
      0.7349145951500029,
      1.00000000066278,
      -0.3697467572738291,
      -0.0017453283658987056,
    ]
  `);
});
