import { beforeEach, expect, test } from 'vitest';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { SHORT_LIVED_MS, SHORT_LIVED_OF_SENDER_MAX, ShortLived, type ShortLivedName } from './short-lived.ts';

const START = localInstant(Date.UTC(2026, 10, 21, 12));
const challenge = (of: string): ShortLivedName => ({ kind: 'challenge', of });

describeDatabases('what is known for minutes', ({ newTarget, open, testOnce }) => {
  let now: LocalInstant;
  let one: ShortLived;
  let other: ShortLived;
  beforeEach(async () => {
    now = START;
    const target = newTarget();
    const make = async () => new ShortLived(await open(target), () => now);
    [one, other] = [await make(), await make()];
  });

  test('every server reads a kept value, and one of them takes it once', async () => {
    expect(await one.keep(challenge('a'), 'for a')).toBe(true);
    expect(await other.read(challenge('a'))).toBe('for a');
    expect(await other.read({ kind: 'confirmation', of: 'a' }), 'each kind for itself').toBeUndefined();
    expect(await other.take(challenge('a'))).toBe('for a');
    for (const each of [one, other]) {
      expect(await each.take(challenge('a'))).toBeUndefined();
      expect(await each.read(challenge('a'))).toBeUndefined();
    }
  });

  test('of many that take it at the same time one gets it, and of many that keep it one is the first', async () => {
    const isFirst = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? one : other).keep(challenge('a'), String(index))),
    );
    expect(isFirst.filter((each) => each)).toHaveLength(1);
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? one : other).take(challenge('a'))),
    );
    expect(taken.filter((each) => each !== undefined)).toHaveLength(1);
  });

  testOnce.each(Object.entries(SHORT_LIVED_MS))(
    '%s: until it is too old, and then it is new again',
    async (kind, ms) => {
      const entry = { kind: kind as ShortLivedName['kind'], of: 'a' };
      await one.keep(entry, '');
      now = addMs(now, ms - 1);
      expect(await other.read(entry)).toBe('');
      now = addMs(now, 1);
      expect(await other.read(entry)).toBeUndefined();
      expect(await one.take(entry)).toBeUndefined();
      expect(await other.keep(entry, '')).toBe(true);
    },
  );

  testOnce('keeping it again restarts its time', async () => {
    await one.keep(challenge('a'), 'first');
    now = addMs(now, SHORT_LIVED_MS.challenge - SECOND_MS);
    expect(await other.keep(challenge('a'), 'second')).toBe(false);
    now = addMs(now, SHORT_LIVED_MS.challenge - SECOND_MS);
    expect(await one.read(challenge('a'))).toBe('second');
  });

  test('names and values may be anything', async () => {
    const texts = ['', ' ', '__proto__', 'a:b', 'x'.repeat(5000), 'Ünï\n\0'];
    for (const text of texts) await one.keep(challenge(text), text);
    for (const text of texts) expect(await other.take(challenge(text))).toBe(text);
  });

  test('of one sender they are bounded, the first give way, and those that were taken count no more', async () => {
    await one.keep(challenge('of another'), '', 'b');
    for (let index = 0; index < 200; index++) {
      now = addMs(now, 1);
      await (index % 2 ? one : other).keep(challenge(`taken ${index}`), '', 'a');
      await one.take(challenge(`taken ${index}`));
    }
    await one.keep(challenge('first'), '', 'a');
    const flood = Array.from({ length: SHORT_LIVED_OF_SENDER_MAX + 9 }, (_, index) => challenge(`flood ${index}`));
    for (const each of flood.slice(0, SHORT_LIVED_OF_SENDER_MAX - 1)) {
      now = addMs(now, 1);
      await other.keep(each, '', 'a');
    }
    expect(await one.read(challenge('first'))).toBe('');
    for (const each of flood.slice(SHORT_LIVED_OF_SENDER_MAX - 1)) {
      now = addMs(now, 1);
      await other.keep(each, '', 'a');
    }
    expect(await one.read(challenge('first'))).toBeUndefined();
    const found = await Promise.all(flood.map((each) => one.read(each)));
    expect(found.map((each) => each !== undefined)).toEqual(flood.map((_, index) => index >= 9));
    expect(await one.read(challenge('of another'))).toBe('');
  });
});
