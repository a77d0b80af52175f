import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NONE, PositionRing, type TrailPosition } from './position-ring.ts';

const positionAt = (number: number): TrailPosition => ({
  observedAtMs: 1000 * number,
  x: number / 4096,
  y: number / 2048,
  altitudeM: number + 1,
  heightAglM: Number.NaN,
  speedMps: number + 2,
  style: number % 65_536,
});

test('the last positions are kept as they were added, with the one before each; those before them are gone', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 700 }), fc.array(fc.nat(4), { maxLength: 2000 }), (capacity, tracks) => {
      const ring = new PositionRing(capacity);
      const newest = new Map<number, number>();
      const befores = tracks.map((track, number) => {
        const before = newest.get(track) ?? NONE;
        expect(ring.add(positionAt(number), before)).toBe(number);
        newest.set(track, number);
        return before;
      });
      expect(ring.has(NONE)).toBe(false);
      const first = Math.max(0, tracks.length - capacity);
      for (let number = 0; number < tracks.length; number++) expect(ring.has(number)).toBe(number >= first);
      const numbers = tracks.map((_, number) => number).slice(first);
      expect(numbers.map((number) => ring.read(number))).toEqual(numbers.map(positionAt));
      expect(numbers.map((number) => ring.before(number))).toEqual(befores.slice(first));
    }),
    { numRuns: 50 },
  );
});
