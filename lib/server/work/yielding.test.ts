import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GroupedStarts } from './yielding.ts';

test('works that become due at once start in order, few per turn, however long each takes and whether it fails', async () => {
  const work = fc.record({ takesTurns: fc.nat({ max: 3 }), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(work, { maxLength: 80 }), async (works) => {
      const starts = new GroupedStarts();
      const started: number[] = [];
      const ends = works.map(({ takesTurns, fails }, index) =>
        starts.run(async () => {
          started.push(index);
          for (let turn = 0; turn < takesTurns; turn++) await nextTurn();
          if (fails) throw new Error(`${index}`);
          return index;
        }),
      );
      let isOver = false;
      const ended = Promise.allSettled(ends).then((outcomes) => {
        isOver = true;
        return outcomes;
      });
      let most = 0;
      while (!isOver) {
        const before = started.length;
        await nextTurn();
        most = Math.max(most, started.length - before);
      }
      expect(most).toBeLessThanOrEqual(16);
      expect(started).toEqual(works.map((_, index) => index));
      const outcomes = (await ended).map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message,
      );
      expect(outcomes).toEqual(works.map(({ fails }, index) => (fails ? `${index}` : index)));
    }),
    { numRuns: 50 },
  );
});
