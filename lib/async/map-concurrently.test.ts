import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapConcurrently } from './map-concurrently.ts';

test('at most so many are under way at once, and results keep the order of the items', async () => {
  const ends: (() => void)[] = [];
  const underway: number[] = [];
  const results = mapConcurrently(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    await new Promise<void>((end) => ends.push(end));
    return item * 10;
  });
  while (ends.length > 0) {
    underway.push(ends.length);
    ends.pop()?.();
    await setImmediate();
  }
  expect(underway).toEqual([3, 3, 3, 3, 3, 2, 1]);
  expect(await results).toEqual([10, 20, 30, 40, 50, 60, 70]);
});

test('the first failure is the result', async () => {
  const work = async (item: number) => {
    if (item === 2) throw new Error('two failed');
    return item;
  };
  await expect(mapConcurrently(2, [1, 2, 3], work)).rejects.toThrow('two failed');
});

test('nothing to do is done', async () => {
  expect(await mapConcurrently(4, [], async (item) => item)).toEqual([]);
});
