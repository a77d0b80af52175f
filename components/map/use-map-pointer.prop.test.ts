import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PileClicks } from './use-map-pointer.ts';

const pile = fc.uniqueArray(fc.nat(1000), { minLength: 1, maxLength: 12 });
const tremble = fc.array(fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -2, max: 2 })), {
  minLength: 12,
  maxLength: 12,
});

test('as many clicks as there are marks select each of them once, the best first, in whatever order they come later', () => {
  fc.assert(
    fc.property(pile, tremble, (slots, moves) => {
      const clicks = new PileClicks();
      const picked = slots.map((_, click) => {
        // Marks and hand move a little between two clicks.
        const order = click % 2 === 0 ? slots : [...slots].reverse();
        return clicks.next(
          order,
          100 + (click === 0 ? 0 : moves[click]![0]),
          100 + (click === 0 ? 0 : moves[click]![1]),
        );
      });
      expect(picked[0]).toBe(slots[0]);
      expect(new Set(picked)).toEqual(new Set(slots));
      const again = clicks.next(slots, 100, 100);
      if (slots.length > 1) expect(again).not.toBe(picked.at(-1));
      expect(slots).toContain(again);
    }),
  );
});

test('a click elsewhere begins with the best mark there, and an empty place has none', () => {
  const clicks = new PileClicks();
  expect(clicks.next([1, 2, 3], 10, 10)).toBe(1);
  expect(clicks.next([1, 2, 3], 10, 10)).toBe(2);
  expect(clicks.next([1, 2, 3], 30, 10)).toBe(1);
  expect(clicks.next([], 30, 10)).toBeUndefined();
  expect(clicks.next([1, 2, 3], 30, 10)).toBe(1);
});
