import { beforeEach, expect, test } from 'vitest';
import { describeDatabases } from '#testing/test-databases.ts';
import { PasskeyCounts } from './passkey-checks.ts';

describeDatabases('counts of passkeys', ({ newTarget, open, testOnce }) => {
  let counts: PasskeyCounts;
  let other: PasskeyCounts;
  beforeEach(async () => {
    const target = newTarget();
    [counts, other] = [new PasskeyCounts(await open(target)), new PasskeyCounts(await open(target))];
  });
  async function advances(id: string, values: readonly number[]) {
    const results: string[] = [];
    for (const [index, value] of values.entries()) results.push(await (index % 2 ? counts : other).advance(id, value));
    return results;
  }

  testOnce('a count must rise at every server, and never stand still', async () => {
    await counts.begin('key', 3);
    expect(await advances('key', [4, 4, 3, 0, 9, 8])).toEqual([
      'advanced',
      'went-back',
      'went-back',
      'went-back',
      'advanced',
      'went-back',
    ]);
  });

  testOnce('a passkey that does not count says 0 each time, until it counts', async () => {
    await counts.begin('shared', 0);
    expect(await advances('shared', [0, 0, 1, 0])).toEqual(['advanced', 'advanced', 'advanced', 'went-back']);
  });

  test('of the same count at the same time one goes on', async () => {
    await counts.begin('key', 3);
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, at) => (at % 2 ? counts : other).advance('key', 4)),
    );
    expect(results.filter((result) => result === 'advanced')).toHaveLength(1);
  });

  testOnce('the count of a new passkey restarts at every server', async () => {
    await counts.begin('key', 9);
    await other.advance('key', 10);
    await counts.begin('key', 0);
    expect(await advances('key', [1])).toEqual(['advanced']);
  });

  testOnce(
    'an unknown count starts with the first one received, which is reported, and continues from there',
    async () => {
      expect(await advances('lost', [7, 7, 6, 8])).toEqual(['restarted', 'went-back', 'went-back', 'advanced']);
    },
  );

  test('ids are independent, and of any length', async () => {
    const ids = ['x'.repeat(2048), 'x'.repeat(2047), 'a:b'];
    for (const [index, id] of ids.entries()) await counts.begin(id, index);
    for (const [index, id] of ids.entries()) expect(await other.advance(id, index + 1)).toBe('advanced');
  });

  test('counts go to the limit of what an authenticator sends', async () => {
    await counts.begin('key', 2 ** 32 - 2);
    expect(await advances('key', [2 ** 32 - 1, 2 ** 32 - 1])).toEqual(['advanced', 'went-back']);
  });
});
