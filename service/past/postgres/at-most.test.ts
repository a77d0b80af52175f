import { expect, test } from 'vitest';
import { atMost } from './at-most.ts';

test('so many run at a time, the others in the order in which they came, also after one that failed', async () => {
  const inLine = atMost(2);
  const begun: number[] = [];
  const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<number>());
  const results = ends.map(({ promise }, number) =>
    inLine(() => {
      begun.push(number);
      return promise;
    }),
  );
  expect(begun).toEqual([0, 1]);
  ends[1]!.reject(new Error('lost'));
  await expect(results[1]).rejects.toThrow('lost');
  expect(begun).toEqual([0, 1, 2]);
  ends[2]!.resolve(22);
  expect(await results[2]).toBe(22);
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[0]!.resolve(0);
  ends[3]!.resolve(33);
  expect(await Promise.all([results[0], results[3]])).toEqual([0, 33]);
});
