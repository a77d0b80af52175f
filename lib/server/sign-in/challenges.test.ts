import { describe, expect, test } from 'vitest';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { CHALLENGE_MAX_MS, Challenges } from './passkey-checks.ts';
import { ShortLived } from './short-lived.ts';

const address = '192.0.2.7';

describe('challenges', () => {
  let now: LocalInstant = localInstant(0);
  const newChallenges = async () => new Challenges(new ShortLived(await memoryDatabase(), () => now));
  const signIn = (owner: string) => ({ purpose: 'sign-in', owner }) as const;

  test('are random, and answered once, by whom they were made for, for what they were made', async () => {
    const challenges = await newChallenges();
    const one = await challenges.make('sign-in', 'a', address);
    const other = await challenges.make('sign-in', 'a', address);
    expect(one).toMatch(/^[\w-]{43}$/);
    expect(one).not.toBe(other);
    expect(await challenges.take(one, signIn('b'))).toBe(false);
    expect(await challenges.take(one, signIn('a'))).toBe(true);
    expect(await challenges.take(one, signIn('a'))).toBe(false);
    expect(await challenges.take(other, { purpose: 'confirm', owner: 'a' })).toBe(false);
    expect(await challenges.take(other, signIn('a'))).toBe(false);
    expect(await challenges.take('made up', signIn('a'))).toBe(false);
  });

  test('wait for five minutes', async () => {
    const challenges = await newChallenges();
    const one = await challenges.make('sign-in', 'a', address);
    const other = await challenges.make('sign-in', 'a', address);
    now = addMs(now, CHALLENGE_MAX_MS - 1);
    expect(await challenges.take(one, signIn('a'))).toBe(true);
    now = addMs(now, 1);
    expect(await challenges.take(other, signIn('a'))).toBe(false);
  });

  test('of one sender are bounded, and a flood removes none of another sender', async () => {
    const challenges = await newChallenges();
    const own = await challenges.make('sign-in', 'a', '2001:db8:1::1');
    const flood: string[] = [];
    for (let index = 0; index < 500; index++)
      flood.push(await challenges.make('sign-in', 'b', `2001:db8:2::${index.toString(16)}`));
    expect(await challenges.take(own, signIn('a'))).toBe(true);
    const taken = await Promise.all(flood.map((challenge) => challenges.take(challenge, signIn('b'))));
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(64);
  });
});
