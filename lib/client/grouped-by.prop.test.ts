import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupedBy } from './grouped-by.ts';

test('groups like Map.groupBy', () => {
  const numbers = fc.array(fc.double());
  fc.assert(
    fc.property(numbers, (items) => {
      const keyOf = (item: number) => Math.sign(item);
      expect([...groupedBy(items, keyOf)]).toEqual([...Map.groupBy(items, keyOf)]);
    }),
  );
});
