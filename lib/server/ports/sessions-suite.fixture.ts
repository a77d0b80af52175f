import { beforeEach, describe, expect, test } from 'vitest';
import { type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { digest } from '../digest.ts';
import type { SessionOrigin, Sessions, SignedInBy } from './sessions.ts';

const by = (operatorId: string): SignedInBy => ({ source: 'password', operatorId, credential: 'hash' });
const carla = { name: 'Carla', role: 'viewer', issuer: 'https://login.example', subject: '7' } as const;
const byProvider = { source: 'oidc', operatorId: 'oidc:x', credential: 'terms', ...carla } as const;
const desk: SessionOrigin = { browser: 'Firefox on Linux', address: '192.0.2.7', isKept: false };
const START_MS = Date.UTC(2026, 10, 21, 12);

/** The contract of every `Sessions`. @param make two servers with one new store */
export function declareSessionsSuite(
  name: string,
  make: (now: () => LocalInstant) => Promise<readonly [Sessions, Sessions]>,
): void {
  let nowMs: number;
  let sessions: Sessions;
  let other: Sessions;
  beforeEach(async () => {
    nowMs = START_MS;
    [sessions, other] = await make(() => localInstant(nowMs));
  });
  const open = (operatorId: string, origin = desk) => sessions.open(by(operatorId), origin);
  const keyOf = async (id: string) => (await sessions.peek(id))?.key ?? '';

  describe(`${name} as sessions`, () => {
    test('each id is new, has 256 bits, and reveals nothing about the operator', async () => {
      const ids = await Promise.all(Array.from({ length: 20 }, () => open('anna')));
      expect(new Set(ids).size).toBe(20);
      for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(32);
    });

    test('a session that one server opened is found whole by every other', async () => {
      const id = await open('anna');
      const session = {
        key: digest(id),
        operatorId: 'anna',
        source: 'password',
        credentialDigest: digest('hash'),
        person: null,
        origin: desk,
        signedInAt: localInstant(START_MS),
        seenAt: localInstant(START_MS),
      };
      expect(await other.find(id)).toEqual({ ...session, isConfirmed: true });
      expect(await other.list()).toEqual([session]);
    });

    test('closing a session ends it for every copy of its id; the operator’s other sessions continue', async () => {
      const [one, another] = [await open('anna'), await open('anna')];
      await sessions.close(one);
      expect(await sessions.find(one)).toBeUndefined();
      expect(await sessions.find(another)).toMatchObject({ operatorId: 'anna', origin: desk });
    });

    test('a made-up id finds nothing, and can be closed', async () => {
      await open('anna');
      for (const id of ['', 'anna', '__proto__', 'x'.repeat(5000)]) {
        expect(await sessions.find(id)).toBeUndefined();
        await sessions.close(id);
      }
      expect(await sessions.list()).toHaveLength(1);
    });

    test('a session ends after twelve hours without a request, and not before', async () => {
      const id = await open('anna');
      nowMs += 12 * HOUR_MS - 1;
      expect(await sessions.find(id)).toBeDefined();
      nowMs += 12 * HOUR_MS + 1;
      expect(await sessions.find(id)).toBeUndefined();
      nowMs -= HOUR_MS;
      expect(await other.find(id), 'for ever').toBeUndefined();
    });

    test('a request anywhere postpones the idle end everywhere', async () => {
      const id = await open('anna');
      for (let hour = 0; hour < 30; hour++, nowMs += HOUR_MS)
        expect(await (hour % 2 ? sessions : other).find(id)).toBeDefined();
      nowMs += 1000;
      const [listed] = await sessions.list();
      expect(listed?.seenAt).toBe(localInstant(START_MS + 29 * HOUR_MS));
    });

    test('a session ends after seven days, however active', async () => {
      const id = await open('anna');
      for (; nowMs < START_MS + 7 * DAY_MS; nowMs += 3 * HOUR_MS) expect(await sessions.find(id)).toBeDefined();
      expect(await sessions.find(id)).toBeUndefined();
      expect(await other.find(id)).toBeUndefined();
    });

    test('one that the browser keeps ends after three days without a request', async () => {
      const id = await open('anna', { ...desk, isKept: true });
      nowMs += 72 * HOUR_MS - 1;
      expect(await sessions.find(id)).toBeDefined();
      nowMs += 72 * HOUR_MS;
      expect(await sessions.list()).toEqual([]);
      expect(await sessions.find(id)).toBeUndefined();
    });

    test('an answer that goes on for hours does not keep its session open', async () => {
      const id = await open('anna');
      for (let hour = 0; hour < 12; hour++, nowMs += HOUR_MS) expect(await sessions.peek(id)).toBeDefined();
      expect(await sessions.peek(id)).toBeUndefined();
    });

    test('the sessions of an operator are listed, and ended singly, all but one, or all', async () => {
      const ids: string[] = [];
      for (const operator of ['anna', 'anna', 'anna', 'bela']) {
        nowMs += HOUR_MS;
        ids.push(await open(operator));
      }
      const [first = '', second = '', third = '', belas = ''] = ids;
      const keys = await Promise.all([third, second, first].map(keyOf));
      expect((await sessions.list('anna')).map(({ key }) => key)).toEqual(keys);
      expect(await sessions.list()).toHaveLength(4);
      expect(await sessions.list('nobody')).toEqual([]);
      expect(await sessions.end({ key: await keyOf(first), operatorId: 'bela' })).toBe(0);
      expect(await sessions.end({ key: await keyOf(first), operatorId: 'anna' })).toBe(1);
      expect(await sessions.find(first)).toBeUndefined();
      expect(await sessions.end({ operatorId: 'anna', except: await keyOf(second) })).toBe(1);
      expect(await sessions.find(second)).toBeDefined();
      expect(await sessions.end({ operatorId: 'anna' })).toBe(1);
      expect(await sessions.end({ operatorId: 'anna' })).toBe(0);
      expect(await sessions.list()).toMatchObject([{ operatorId: 'bela', key: await keyOf(belas) }]);
    });

    test.each<[string, (id: string) => Promise<unknown>]>([
      ['is closed', (id) => sessions.close(id)],
      ['is dropped', (id) => sessions.drop({ key: digest(id), credentialDigest: digest('hash') })],
      ['is ended by its key', (id) => sessions.end({ key: digest(id) })],
      ['is ended with all of its operator', () => sessions.end({ operatorId: 'anna' })],
    ])('one that another server has just read is over there within a second when it %s', async (_, end) => {
      const id = await open('anna');
      expect(await other.find(id)).toBeDefined();
      await end(id);
      nowMs += 1000;
      expect(await other.find(id)).toBeUndefined();
    });

    test('one that goes on with another password does so everywhere within a second', async () => {
      const id = await open('anna');
      await other.find(id);
      await sessions.rebind(digest(id), 'another');
      expect(await sessions.find(id)).toMatchObject({ credentialDigest: digest('another') });
      nowMs += 1000;
      expect(await other.find(id)).toMatchObject({ credentialDigest: digest('another') });
      await sessions.close(id);
      await sessions.rebind(digest(id), 'a third');
      expect(await sessions.find(id), 'and one that has ended stays so').toBeUndefined();
    });

    test('a server that knows only the credential before does not remove it', async () => {
      const id = await open('anna');
      const before = await other.find(id);
      await sessions.rebind(digest(id), 'another');
      if (before) await other.drop(before);
      expect(await other.find(id)).toMatchObject({ credentialDigest: digest('another') });
      expect(await sessions.find(id)).toBeDefined();
    });

    test('somebody of a provider is in the session with name and role, for a day at most', async () => {
      const id = await sessions.open(byProvider, desk);
      expect(await other.find(id)).toMatchObject({ person: carla, credentialDigest: digest('terms') });
      for (; nowMs < START_MS + DAY_MS; nowMs += HOUR_MS) expect(await sessions.find(id)).toBeDefined();
      expect(await sessions.list()).toEqual([]);
      expect(await sessions.find(id)).toBeUndefined();
    });

    test('one that is requested again after it was ended elsewhere does not come back', async () => {
      const id = await open('anna');
      await other.find(id);
      nowMs += 2 * MINUTE_MS;
      await sessions.close(id);
      await other.find(id);
      nowMs += 2 * MINUTE_MS;
      expect(await other.find(id)).toBeUndefined();
      expect(await sessions.list()).toEqual([]);
    });
  });
}
