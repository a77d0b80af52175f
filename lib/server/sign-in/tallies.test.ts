import { beforeEach, expect, test } from 'vitest';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { type FailureTally, Tallies, type TallyName } from './sign-in-throttle.ts';

const NOW = localInstant(Date.UTC(2026, 10, 21, 12));
const TALLIES_KEPT = 50;
const account = (of: string): TallyName => ({ kind: 'account', of });
const tally = (count: number, forMs = MINUTE_MS): FailureTally => ({
  count,
  countedUntil: addMs(NOW, forMs),
  delayedUntil: NOW,
});

describeDatabases('tallies', ({ newTarget, open, testOnce }) => {
  let tallies: Tallies;
  let other: Tallies;
  beforeEach(async () => {
    const target = newTarget();
    const make = async () => new Tallies(await open(target), TALLIES_KEPT);
    [tallies, other] = [await make(), await make()];
  });
  const write = (names: readonly TallyName[], ...values: (FailureTally | undefined)[]) =>
    tallies.change(names, NOW, () => ({ result: undefined, tallies: values }));
  const read = (names: readonly TallyName[], now: LocalInstant = NOW) =>
    other.change(names, now, (found) => ({ result: found }));

  testOnce('a missing tally stays missing after a read', async () => {
    expect(await read([account('anna')])).toEqual([undefined]);
    expect(await read([account('anna')])).toEqual([undefined]);
  });

  test('every server reads the whole tallies of another, separate by name and kind', async () => {
    const names = [account('anna'), { kind: 'address', of: 'anna' }, account('bela')] as const;
    await write(names, tally(1), { ...tally(2), delayedUntil: addMs(NOW, 5) }, tally(0));
    expect(await read(names)).toEqual([tally(1), { ...tally(2), delayedUntil: addMs(NOW, 5) }, tally(0)]);
    await write(names, undefined, tally(3), tally(4));
    expect(await read(names)).toEqual([undefined, tally(3), tally(4)]);
  });

  test('names may be anything', async () => {
    const names = ['', ' ', '__proto__', 'a:b', 'x'.repeat(5000), 'Ünï\n\0'].map(account);
    await write(names, ...names.map((_, index) => tally(index)));
    expect(await read(names)).toEqual(names.map((_, index) => tally(index)));
  });

  test('of simultaneous counts none is lost', async () => {
    const count = (from: Tallies) =>
      from.change([account('anna')], NOW, ([found]) => {
        const count = (found?.count ?? 0) + 1;
        return { result: count, tallies: [tally(count)] };
      });
    const counts = await Promise.all(Array.from({ length: 30 }, (_, index) => count(index % 2 ? tallies : other)));
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  testOnce('a tally is forgotten when both of its times have passed', async () => {
    await write([account('anna')], { ...tally(1), delayedUntil: addMs(NOW, 2 * MINUTE_MS) });
    expect(await read([account('anna')], addMs(NOW, 2 * MINUTE_MS - 1))).toMatchObject([{ count: 1 }]);
    expect(await read([account('anna')], addMs(NOW, 2 * MINUTE_MS))).toEqual([undefined]);
  });

  testOnce('a flood of one kind is bounded, and forgets nothing of another', async () => {
    const address: TallyName = { kind: 'address', of: '192.0.2.7' };
    await write([address], tally(7, MINUTE_MS / 2));
    const flood = Array.from({ length: 3 * TALLIES_KEPT }, (_, index) => account(`name ${index}`));
    for (const [index, each] of flood.entries()) await write([each], tally(1, MINUTE_MS + index));
    const found = await read(flood);
    expect(found.filter((each) => each !== undefined)).toHaveLength(TALLIES_KEPT);
    expect(found.at(-1), 'the latest are kept').toBeDefined();
    expect(await read([address])).toMatchObject([{ count: 7 }]);
  });
});
