import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FoundRow, FoundRows } from './read-past.ts';

const offset = fc.oneof(fc.nat(299_999), fc.nat(3), fc.constant(299_999));

test('the earliest are those of a full sort, and so are their times', () => {
  fc.assert(
    fc.property(fc.array(offset, { maxLength: 3000 }), fc.integer({ min: 1, max: 1500 }), (offsets, maxCount) => {
      const found = new FoundRows();
      for (const [row, offsetMs] of offsets.entries()) found.add(offsetMs, row % 3, row);
      const keyOf = ({ row }: FoundRow) => `${(row * 7) % 5}`;
      const sorted = offsets
        .map((offsetMs, row) => ({ offsetMs, chunk: row % 3, row }))
        .sort(
          (a, b) => a.offsetMs - b.offsetMs || keyOf(a).localeCompare(keyOf(b)) || a.chunk - b.chunk || a.row - b.row,
        )
        .slice(0, maxCount);
      expect(found.earliest(maxCount, keyOf)).toEqual(sorted);
      expect([...found.earliestTimes(maxCount)]).toEqual(sorted.map(({ offsetMs }) => offsetMs));
    }),
  );
});
