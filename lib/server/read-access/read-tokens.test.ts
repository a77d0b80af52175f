import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type NewReadToken, READ_TOKENS_MAX } from '#lib/api/outputs/read-token.ts';
import { addMs, localInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { patientSupervisor, strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { refusalOf } from '../views/refusal-of.fixture.ts';
import { ReadTokens } from './read-tokens.ts';

const STARTS = localInstant(Date.UTC(2026, 10, 27, 12));
const VIEW = '5b7d3c6f-7a1c-4e8f-8b4f-1b7a1f6c8d22';
const wanted: NewReadToken = {
  name: 'tar1090',
  scopes: ['aircraft'],
  area: null,
  altitude_as: null,
  ends_at: null,
  requests_a_minute: 120,
  history_requests_a_day: 0,
  view: null,
};

describeDatabases('read tokens', ({ dialect, newTarget, open, testOnce }) => {
  let wallNow = STARTS;
  let elapsedMs = 0;
  let database: Database;
  let one: ReadTokens;
  let other: ReadTokens;
  beforeEach(async () => {
    [wallNow, elapsedMs] = [STARTS, 0];
    const target = newTarget();
    database = await open(target);
    const times = { now: () => wallNow, monotonicMs: () => elapsedMs };
    one = new ReadTokens({ database, ...times, part: strictSupervisor().part('read_tokens') });
    other = new ReadTokens({ database: await open(target), ...times, part: strictSupervisor().part('read_tokens') });
  });
  const refusalTo = (secret: string, scope: 'aircraft' | 'features' = 'aircraft') =>
    refusalOf(() => other.open(secret, scope));
  const usedAt = async () => (await other.list())[0]?.used_at;

  test('open what they are for, at every server, until revoked', async () => {
    const { secret, token } = await one.make({ ...wanted, area: [7, 46, 9, 48], altitude_as: 'alt_geom' }, 'Ada');
    expect(token).toMatchObject({
      name: 'tar1090',
      made_by: 'Ada',
      made_at: '2026-11-27T12:00:00.000Z',
      used_at: null,
    });
    expect(await other.list()).toEqual([token]);
    expect(await other.open(secret, 'aircraft')).toMatchObject({
      area: { west: 7, south: 46, east: 9, north: 48 },
      id: token.id,
      altitude_as: 'alt_geom',
    });
    expect(await refusalTo(secret, 'features')).toBe('not_permitted');
    await other.make({ ...wanted, name: 'another' }, 'Ada');
    expect(await one.revoke(token.id)).toMatchObject({ name: 'tar1090' });
    expect(await refusalTo(secret)).toBe('not_signed_in');
    expect(await refusalOf(() => one.revoke(token.id))).toBe('not_found');
  });

  testOnce('are kept as a digest only', async () => {
    const { secret } = await one.make(wanted, '');
    const rows = JSON.stringify(await database.query.selectFrom('read_token').selectAll().execute());
    expect(rows).not.toContain(secret);
    expect(rows).not.toContain(secret.slice('lookout_'.length));
  });

  testOnce('without one, outputs do not exist; with one, any other text is refused', async () => {
    const { secret } = await one.make(wanted, '');
    const wrong = [
      '',
      ' ',
      secret.slice(0, -1),
      `${secret}a`,
      secret.toUpperCase(),
      "' or 1=1 --",
      'x'.repeat(5000),
      '\u0000',
    ];
    for (const text of wrong) expect(await refusalTo(text)).toBe('not_signed_in');
    await one.revoke((await one.list())[0]?.id ?? '');
    for (const text of [...wrong, secret]) expect(await refusalTo(text)).toBe('not_found');
  });

  testOnce('end when they are to end', async () => {
    const { secret } = await one.make({ ...wanted, ends_at: '2026-11-27T13:00:00+00:00' }, '');
    wallNow = addMs(STARTS, 60 * MINUTE_MS - 1);
    await other.open(secret, 'aircraft');
    wallNow = addMs(STARTS, 60 * MINUTE_MS);
    expect(await refusalTo(secret)).toBe('not_signed_in');
  });

  testOnce('show when they were used last, written at most once a minute', async () => {
    const { secret } = await one.make(wanted, '');
    await other.open(secret, 'aircraft');
    await eventually(async () => expect(await usedAt()).toBe('2026-11-27T12:00:00.000Z'));
    wallNow = addMs(STARTS, 59 * SECOND_MS);
    await other.open(secret, 'aircraft');
    expect(await usedAt()).toBe('2026-11-27T12:00:00.000Z');
    wallNow = addMs(STARTS, 61 * SECOND_MS);
    await other.open(secret, 'aircraft');
    await eventually(async () => expect(await usedAt()).toBe('2026-11-27T12:01:01.000Z'));
  });

  testOnce('may be used twice a second, after 20 at once, each for itself', async () => {
    const { secret } = await one.make(wanted, '');
    const next = await one.make({ ...wanted, name: 'another' }, '');
    const uses = async (ms: number) => {
      elapsedMs += ms;
      for (let used = 0; ; used++) if (await refusalTo(secret)) return used;
    };
    expect(await uses(0)).toBe(20);
    await expect(other.open(secret, 'aircraft')).rejects.toMatchObject({ code: 'too_many_reads', retryAfterS: 1 });
    expect(await uses(SECOND_MS)).toBe(2);
    expect(await uses(400)).toBe(0);
    expect(await uses(100)).toBe(1);
    expect(await refusalTo(next.secret)).toBe('');
    expect(await uses(1000 * SECOND_MS)).toBe(20);
  });

  test('take the price of a day once, whatever begins at the same time at two servers', async () => {
    const { token } = await one.make({ ...wanted, scopes: ['read-history'], history_requests_a_day: 10 }, '');
    const take = (tokens: ReadTokens, day = '2026-11-27') => tokens.takeHistory(token.id, 4, day);
    const taken = await Promise.all([one, other, one, other].map((tokens) => take(tokens)));
    expect(taken.sort()).toEqual([0, 2, 4, 4]);
    await other.returnHistory(token.id, 3, '2026-11-27');
    await other.returnHistory(token.id, 3, '2026-11-26');
    expect(await one.historyLeft(token.id, '2026-11-27')).toBe(3);
    expect(await take(one, '2026-11-28')).toBe(4);
    expect(await one.takeHistory('none', 4, '2026-11-28')).toBe(0);
  });

  test('open a wall once, also for two browsers at once', async () => {
    const { secret, token } = await one.make({ ...wanted, scopes: ['wall'], view: VIEW }, '');
    const opened = await Promise.allSettled([one, other].map((tokens) => tokens.openWall(secret)));
    const own = opened.flatMap((each) => (each.status === 'fulfilled' ? each.value.own : []));
    expect(own).toHaveLength(1);
    expect(await other.wall(own[0] ?? '')).toMatchObject({ view: VIEW });
    expect(await other.wall(secret)).toBeUndefined();
    await one.revoke(token.id);
    expect(await other.wall(own[0] ?? '')).toBeUndefined();
  });

  test('are bounded in number, and no two have one name', async () => {
    for (let number = 0; number < READ_TOKENS_MAX; number++) await one.make({ ...wanted, name: `token ${number}` }, '');
    expect(await refusalOf(() => other.make({ ...wanted, name: 'more' }, ''))).toBe('too_many_read_tokens');
    expect(await refusalOf(() => other.make({ ...wanted, name: 'token 3' }, ''))).toBe('name_taken');
  });

  test('are read also where their use cannot be recorded, which is reported', async () => {
    const supervisor = patientSupervisor();
    const tokens = new ReadTokens({
      database,
      now: () => wallNow,
      monotonicMs: () => elapsedMs,
      part: supervisor.part('read_tokens'),
    });
    const { secret } = await tokens.make(wanted, '');
    const [refuses, accepts] =
      dialect === 'sqlite'
        ? [
            "create trigger refuse before update on read_token begin select raise(abort, 'no'); end",
            'drop trigger refuse',
          ]
        : [
            'alter table read_token add constraint refuse check (used_ms is null) not valid',
            'alter table read_token drop constraint refuse',
          ];
    await sql.raw(refuses).execute(database.query);
    await tokens.open(secret, 'aircraft');
    await eventually(() => expect(supervisor.failing).toMatchObject([{ part: 'read_tokens', reason: 'defect' }]));
    await sql.raw(accepts).execute(database.query);
    elapsedMs += SECOND_MS;
    await tokens.open(secret, 'aircraft');
    await eventually(() => expect(supervisor.failing).toEqual([]));
  });
});
