import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { asRefusal } from '../database/database-failure.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { digest } from './digest.ts';
import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS, type SessionOrigin, type SignedInBy } from './session.ts';
import { Sessions, sessionSecret } from './sessions.ts';

const by = (operatorId: string): SignedInBy => ({ source: 'password', operatorId, credential: 'hash' });
const carla = { name: 'Carla', role: 'viewer', issuer: 'https://login.example', subject: '7' } as const;
const byProvider = { source: 'oidc', operatorId: 'oidc:x', credential: 'terms', ...carla } as const;
const desk: SessionOrigin = { browser: 'Firefox on Linux', address: '192.0.2.7', isKept: false };
const START_MS = Date.UTC(2026, 10, 21, 12);

describeDatabases('sessions', (databases) => {
  const { dialect, newTarget, open: openDatabase, testOnce } = databases;
  let nowMs: number;
  let database: Database;
  let elsewhere: Database;
  let sessions: Sessions;
  let other: Sessions;
  let opened: Sessions[];
  const start = (at: Database) => {
    const started = new Sessions(at, () => localInstant(nowMs), strictSupervisor().part('sessions'));
    opened.push(started);
    return started;
  };
  afterEach(async () => {
    for (const each of opened) await each.shutDown();
  });
  beforeEach(async () => {
    nowMs = START_MS;
    const target = newTarget();
    [database, elsewhere] = [await openDatabase(target), await openDatabase(target)];
    opened = [];
    [sessions, other] = [start(database), start(elsewhere)];
    await eventually(() => expect([database.isCurrent, elsewhere.isCurrent]).toEqual([true, true]));
  });
  const open = (operatorId: string, origin = desk) => sessions.open(by(operatorId), origin);
  const keyOf = async (id: string) => (await sessions.peek(id))?.key ?? '';

  testOnce('makes ids of 256 bits that reveal nothing about the operator', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => open('anna')));
    expect(new Set(ids).size).toBe(20);
    for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(32);
  });

  test('finds a session that another server opened', async () => {
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

  test('ends a closed session for every copy of its id, and no other', async () => {
    const [one, another] = [await open('anna'), await open('anna')];
    await sessions.close(one);
    expect(await sessions.find(one)).toBeUndefined();
    expect(await sessions.find(another)).toMatchObject({ operatorId: 'anna', origin: desk });
  });

  testOnce('finds nothing for a made-up id', async () => {
    await open('anna');
    for (const id of ['', 'anna', '__proto__', 'x'.repeat(5000)]) {
      expect(await sessions.find(id)).toBeUndefined();
      await sessions.close(id);
    }
    expect(await sessions.list()).toHaveLength(1);
  });

  testOnce('ends a session after twelve hours without a request, and not before', async () => {
    const id = await open('anna');
    nowMs += 12 * HOUR_MS - 1;
    expect(await sessions.find(id)).toBeDefined();
    nowMs += 12 * HOUR_MS + 1;
    expect(await sessions.find(id)).toBeUndefined();
    nowMs -= HOUR_MS;
    expect(await other.find(id), 'for ever').toBeUndefined();
  });

  test('postpones the idle end everywhere with a request anywhere', async () => {
    const id = await open('anna');
    for (let hour = 0; hour < 30; hour++, nowMs += HOUR_MS)
      expect(await (hour % 2 ? sessions : other).find(id)).toBeDefined();
    nowMs += 1000;
    const [listed] = await sessions.list();
    expect(listed?.seenAt).toBe(localInstant(START_MS + 29 * HOUR_MS));
  });

  testOnce('ends a session after seven days, however active', async () => {
    const id = await open('anna');
    for (; nowMs < START_MS + 7 * DAY_MS; nowMs += 3 * HOUR_MS) expect(await sessions.find(id)).toBeDefined();
    expect(await sessions.find(id)).toBeUndefined();
    expect(await other.find(id)).toBeUndefined();
  });

  testOnce('ends a session that the browser keeps after three days without a request', async () => {
    const id = await open('anna', { ...desk, isKept: true });
    nowMs += 72 * HOUR_MS - 1;
    expect(await sessions.find(id)).toBeDefined();
    nowMs += 72 * HOUR_MS;
    expect(await sessions.list()).toEqual([]);
    expect(await sessions.find(id)).toBeUndefined();
  });

  testOnce('keeps no session open for an answer that takes hours', async () => {
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

  const endings: [string, (id: string) => Promise<unknown>][] = [
    ['is closed', (id) => sessions.close(id)],
    ['is dropped', (id) => sessions.drop({ key: digest(id), credentialDigest: digest('hash') })],
    ['is ended by its key', (id) => sessions.end({ key: digest(id) })],
    ['is ended with all of its operator', () => sessions.end({ operatorId: 'anna' })],
  ];
  test.each(endings)('ends a session that another server has just read within a second when it %s', async (_, end) => {
    const id = await open('anna');
    expect(await other.find(id)).toBeDefined();
    await end(id);
    await eventually(async () => expect(await other.find(id)).toBeUndefined());
  });

  test.runIf(dialect === 'sqlite').each(endings)(
    'ends a session at once when, by another process, it %s',
    async (_, end) => {
      const id = await open('anna');
      expect(await other.find(id)).toBeDefined();
      await end(id);
      expect(await other.find(id)).toBeUndefined();
    },
  );

  test('continues a session with another password everywhere within a second', async () => {
    const id = await open('anna');
    await other.find(id);
    await sessions.rebind(digest(id), 'another');
    expect(await sessions.find(id)).toMatchObject({ credentialDigest: digest('another') });
    await eventually(async () => expect(await other.find(id)).toMatchObject({ credentialDigest: digest('another') }));
    await sessions.close(id);
    await sessions.rebind(digest(id), 'a third');
    expect(await sessions.find(id), 'and one that has ended stays so').toBeUndefined();
  });

  testOnce('removes no session for a credential that was replaced', async () => {
    const id = await open('anna');
    const before = await other.find(id);
    await sessions.rebind(digest(id), 'another');
    if (before) await other.drop(before);
    expect(await other.find(id)).toMatchObject({ credentialDigest: digest('another') });
    expect(await sessions.find(id)).toBeDefined();
  });

  testOnce('keeps name and role of an SSO user, for a day at most', async () => {
    const id = await sessions.open(byProvider, desk);
    expect(await other.find(id)).toMatchObject({ person: carla, credentialDigest: digest('terms') });
    for (; nowMs < START_MS + DAY_MS; nowMs += HOUR_MS) expect(await sessions.find(id)).toBeDefined();
    expect(await sessions.list()).toEqual([]);
    expect(await sessions.find(id)).toBeUndefined();
  });

  test('opens no session again that was ended elsewhere', async () => {
    const id = await open('anna');
    await other.find(id);
    nowMs += 2 * MINUTE_MS;
    await sessions.close(id);
    await other.find(id);
    nowMs += 2 * MINUTE_MS;
    await eventually(async () => expect(await other.find(id)).toBeUndefined());
    expect(await sessions.list()).toEqual([]);
  });

  testOnce('answers checks from memory, without a statement', async () => {
    const id = await open('anna');
    await sessions.find(id);
    await sql`alter table session rename to moved_away`.execute(database.query);
    for (let poll = 0; poll < 10; poll++) expect(await sessions.find(id)).toMatchObject({ operatorId: 'anna' });
  });

  testOnce('keeps digests of ids, and no id', async () => {
    const id = await open('anna');
    const rows = await database.query.selectFrom('session').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(id);
  });

  testOnce('deletes no session by a clock that is 40 days ahead for a while', async () => {
    const id = await open('anna');
    nowMs += 40 * DAY_MS;
    const ahead = start(elsewhere);
    expect(await ahead.list()).toEqual([]);
    await ahead.open(by('bert'), desk);
    nowMs = START_MS + HOUR_MS;
    expect(await start(elsewhere).find(id)).toMatchObject({ operatorId: 'anna' });
  });

  testOnce(
    'ends a session of a clock that was ahead as soon as one that begins when the clock is set right',
    async () => {
      nowMs = START_MS + 40 * DAY_MS;
      const id = await open('anna');
      nowMs = START_MS;
      expect(await sessions.find(id)).toBeDefined();
      nowMs = START_MS + SESSION_IDLE_MS - 1;
      expect(await sessions.find(id)).toBeDefined();
      for (let left = SESSION_ABSOLUTE_MS; left > 0; left -= SESSION_IDLE_MS / 2) {
        nowMs = START_MS + SESSION_ABSOLUTE_MS - left;
        await sessions.find(id);
      }
      nowMs = START_MS + SESSION_ABSOLUTE_MS;
      expect(await sessions.find(id)).toBeUndefined();
    },
  );

  test.runIf(dialect === 'postgres')(
    'lets a session read for a minute while the database is lost, and takes none for ended',
    async () => {
      const cluster = databases.newCluster();
      database = await openDatabase(cluster.target());
      sessions = start(database);
      const [known, unknown] = [await open('anna'), await open('anna')];
      await sessions.find(known);
      cluster.stop();
      await eventually(() => expect(database.failure?.kind).toBe('lost'));
      expect(await sessions.find(known)).toMatchObject({ operatorId: 'anna', isConfirmed: false });
      const refused = { code: 'database_lost', retryAfterS: 5 };
      const refusalOf = (work: Promise<unknown>) => work.then(() => 'done', asRefusal);
      expect(await refusalOf(sessions.find(unknown))).toMatchObject(refused);
      expect(await refusalOf(sessions.open(by('anna'), desk))).toMatchObject(refused);
      expect(await refusalOf(sessions.list())).toMatchObject(refused);
      nowMs += MINUTE_MS;
      expect(await refusalOf(sessions.find(known))).toMatchObject(refused);
      expect(await refusalOf(sessions.close(known))).toMatchObject(refused);
      cluster.start();
      await eventually(async () => expect(await sessions.find(unknown)).toMatchObject({ isConfirmed: true }));
      expect(await sessions.find(known)).toMatchObject({ isConfirmed: true });
    },
  );
});

describeDatabases('the session secret', ({ newTarget, open, testOnce }) => {
  testOnce('has 256 bits, and differs between databases', async () => {
    const secret = await sessionSecret(await open());
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(await sessionSecret(await open())).not.toBe(secret);
  });

  test('is made once, however many servers start at the same time', async () => {
    const target = newTarget();
    const servers = await Promise.all([open(target), open(target), open(target)]);
    const secrets = await Promise.all([...servers, ...servers].map(sessionSecret));
    expect(new Set(secrets).size).toBe(1);
    expect(await sessionSecret(await open(target))).toBe(secrets[0]);
  });
});
