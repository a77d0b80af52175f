import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boxText } from './box-text.ts';

describe('boxText', () => {
  test.each([
    [{ west: 6, south: 46, east: 10.5, north: 48 }, '46.0–48.0 N, 6.0–10.5 E'],
    [{ west: -80, south: -48, east: -70, north: -46 }, '46.0–48.0 S, 70.0–80.0 W'],
    [{ west: -10, south: -2, east: 3, north: 3 }, '2.0 S–3.0 N, 10.0 W–3.0 E'],
    [{ west: 170, south: -40, east: -175, north: -35 }, '35.0–40.0 S, 170.0 E–175.0 W'],
    [{ west: -180, south: 0, east: -170, north: 10 }, '0.0–10.0 N, 170.0–180.0 W'],
    [{ west: -180, south: -85, east: 180, north: 85 }, '85.0 S–85.0 N, all longitudes'],
    [{ west: -74.05, south: 40.68, east: -73.98, north: 40.85 }, '40.68–40.85 N, 73.980–74.050 W'],
  ])('%o', (bbox, words) => {
    expect(boxText(bbox)).toBe(words);
  });

  test('both ends of every side read differently down to a hundredth of a degree', () => {
    const hundredths = (from: number, to: number) => fc.integer({ min: from * 100, max: to * 100 });
    fc.assert(
      fc.property(hundredths(-89, 88), hundredths(-179, 178), hundredths(0, 1), (south, west, more) => {
        const bbox = {
          south: south / 100,
          north: (south + 1 + more) / 100,
          west: west / 100,
          east: (west + 1 + more) / 100,
        };
        for (const side of boxText(bbox).split(', ')) {
          const [from, to] = side.replaceAll(/(?<=–\S+) ./g, '').split('–');
          expect(from).not.toBe(to);
        }
      }),
    );
  });
});
