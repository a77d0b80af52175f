import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { Operators } from './operators.ts';
import { hashPassword } from './passwords.ts';
import { Sessions } from './sessions.ts';
import { SignIn } from './sign-in.ts';
import { SignInThrottle, Tallies } from './sign-in-throttle.ts';

const password = 'correct horse battery staple';
const from = (address: string) => ({ browser: 'Firefox on Linux', address, isKept: false });
const address = from('192.0.2.7');

const now = () => localInstant(Date.UTC(2026, 10, 21));

let operators: Operators;
let sessions: Sessions;
let signIn: SignIn;

beforeAll(async () => {
  const hashes = await Promise.all([hashPassword(password), hashPassword('another one, just as long')]);
  operators = await Operators.open(await memoryDatabase(), strictSupervisor().part('operators'));
  await operators.change(() => [
    { name: 'anna', role: 'operator', password: hashes[0], passkeys: [] },
    { name: 'bela', role: 'operator', password: hashes[1], passkeys: [] },
    { name: 'without', role: 'operator', passkeys: [] },
    { name: 'late', role: 'operator', password: hashes[0], initial_until: '2026-11-21T00:00:00Z', passkeys: [] },
    { name: 'new', role: 'operator', password: hashes[0], initial_until: '2026-11-21T00:00:01Z', passkeys: [] },
  ]);
});
beforeEach(async () => {
  const database = await memoryDatabase();
  sessions = new Sessions(database, now, strictSupervisor().part('sessions'));
  signIn = new SignIn(operators, sessions, new SignInThrottle(new Tallies(database)), now);
});

async function minWorkMs(name: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage();
    await signIn.attempt(name, 'a wrong password', from(`203.0.113.${round}`));
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return Math.min(...times);
}

describe('SignIn', () => {
  test('the right password opens a session of that operator, under a new id each time', async () => {
    const results = [await signIn.attempt('anna', password, address), await signIn.attempt('anna', password, address)];
    const ids = results.map((result) => (result.kind === 'signed-in' ? result.sessionId : undefined));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids)
      expect(await sessions.find(id ?? '')).toMatchObject({ operatorId: 'anna', source: 'password' });
  });

  test('a wrong password, another operator’s password and an unknown name give the same result', async () => {
    const wrong = await signIn.attempt('anna', 'a wrong password', address);
    expect(wrong).toEqual({ kind: 'refused' });
    expect(await signIn.attempt('bela', password, address)).toEqual(wrong);
    expect(await signIn.attempt('nobody', password, address)).toEqual(wrong);
    expect(await signIn.attempt('without', password, address)).toEqual(wrong);
    expect(await signIn.attempt('late', password, address)).toEqual(wrong);
    expect(await signIn.attempt('new', password, address)).toMatchObject({ kind: 'signed-in' });
    expect(await signIn.attempt('__proto__', 'no operator has this password', address)).toEqual(wrong);
  });

  test('an unknown name takes as long as a known one', async () => {
    await signIn.attempt('nobody', 'x', address);
    const [known, unknown] = [await minWorkMs('anna'), await minWorkMs('nobody')];
    expect(unknown).toBeGreaterThan(known / 2);
    expect(unknown).toBeLessThan(known * 2);
  });

  test('of fifty simultaneous guesses of an address five are checked; the rest has to wait, even the right one', async () => {
    const guesses = Array.from({ length: 50 }, (_, index) => (index === 40 ? password : `guess number ${index}`));
    const results = await Promise.all(guesses.map((guess) => signIn.attempt('anna', guess, from('198.51.100.1'))));
    expect(results.filter(({ kind }) => kind !== 'wait')).toHaveLength(5);
    expect(results[40]).toEqual({ kind: 'wait', seconds: 1 });
  });

  test('a known browser does not wait for queued passwords of strangers', async () => {
    const done: string[] = [];
    const strangers = Array.from({ length: 10 }, async (_, from64) => {
      await signIn.attempt('anna', 'a wrong password', from(`2001:db8:0:${from64}::1`));
      done.push('stranger');
    });
    const owner = signIn.attempt('anna', password, address, 'known').then((result) => {
      done.push('owner');
      return result;
    });
    expect(await owner).toMatchObject({ kind: 'signed-in' });
    await Promise.all(strangers);
    expect(done.indexOf('owner')).toBeLessThanOrEqual(3);
  });

  test('password spraying over many names from one address is slowed down as well', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `name${index}`);
    const results = await Promise.all(names.map((name) => signIn.attempt(name, 'Summer in Bern 26', address)));
    expect(results.filter(({ kind }) => kind === 'refused')).toHaveLength(20);
  });

  test('a successful sign-in never counts as a failure: a whole office behind one address can sign in', async () => {
    for (let times = 0; times < 30; times++) {
      expect(await signIn.attempt('anna', password, address)).toMatchObject({ kind: 'signed-in' });
    }
  });

  test('guessing one account’s password does not lock out another operator', async () => {
    for (let guess = 0; guess < 6; guess++) await signIn.attempt('anna', `guess number ${guess}`, from('198.51.100.1'));
    expect(await signIn.attempt('anna', password, from('198.51.100.1'))).toMatchObject({ kind: 'wait' });
    expect(await signIn.attempt('anna', password, from('198.51.100.2'))).toMatchObject({ kind: 'signed-in' });
    expect(await signIn.attempt('bela', 'another one, just as long', address)).toMatchObject({ kind: 'signed-in' });
  });
});
