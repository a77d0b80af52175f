import { BlockList } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Scope } from '#lib/contract/operation.ts';
import { addMs, formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { AccountWithKeys } from '../accounts/access.ts';
import { FAILURES_AT_ONCE } from '../accounts/address-limit.ts';
import { issueKey } from '../accounts/api-key.ts';
import { BBOX, type ConformanceService, START, startConformanceService } from './conformance-service.ts';
import { listedSource } from './listed-source.ts';

const SECRET = 'conformance-key-0123456789';
const DAY = 86_400_000;

function account(change: Partial<AccountWithKeys> = {}): AccountWithKeys {
  const grant = change.grant ?? { active: true, expiresAt: addMs(START, 100 * DAY) };
  return {
    id: 'a',
    scopes: new Set<Scope>(['rid.live', 'adsb.live', 'rid.history', 'adsb.history']),
    lookbackDays: 30,
    allowance: { perMinute: 1000, perDay: 100_000 },
    keys: [issueKey({ name: 'first', secret: SECRET, createdAt: START }, grant)],
    ...change,
    grant,
  };
}

let running: ConformanceService;
async function startWith(...accounts: readonly AccountWithKeys[]) {
  running = await startConformanceService({ accounts });
}
afterEach(() => running.service.close());

const LIVE = `live/adsb?bbox=${BBOX}`;
const asKey = (secret: string) => ({ authorization: `Bearer ${secret}` });

async function statusWith(secret: string, pathAndQuery = LIVE): Promise<number> {
  return (await running.get(pathAndQuery, asKey(secret))).status;
}

describe('Authentication › 401', () => {
  test.each([
    ['no header', null],
    ['another scheme', `Basic ${SECRET}`],
    ['the key without a scheme', SECRET],
    ['the scheme without a key', 'Bearer'],
    ['the scheme and a space', 'Bearer '],
    ['two keys', `Bearer ${SECRET} ${SECRET}`],
    ['two headers', [`Bearer ${SECRET}`, `Bearer ${SECRET}`]],
    ['a comma-separated list', `Bearer ${SECRET}, Bearer ${SECRET}`],
    ['another key', `Bearer ${SECRET}x`],
    ['the beginning of the key', `Bearer ${SECRET.slice(0, -1)}`],
    ['the key in another case', `Bearer ${SECRET.toUpperCase()}`],
    ['a key with characters that no key has', 'Bearer {"key":1}'],
  ])('missing, malformed or invalid key: %s', async (_what, authorization) => {
    await startWith(account());
    const answer = await running.get(LIVE, { authorization });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.json.error.code).toBe('unauthorized');
    expect(answer.text).not.toContain(SECRET);
  });

  test('a cookie or another header does not replace the Authorization header', async () => {
    await startWith(account());
    const headers = { cookie: `key=${SECRET}`, 'x-api-key': SECRET, 'proxy-authorization': `Bearer ${SECRET}` };
    expect((await running.get(LIVE, { authorization: null, headers })).status).toBe(401);
  });

  test('the scheme name is case-insensitive', async () => {
    await startWith(account());
    expect((await running.get(LIVE, { authorization: `bearer ${SECRET}` })).status).toBe(200);
  });

  test('a key is refused from the instant it expires', async () => {
    const base = account();
    await startWith({ ...base, keys: [{ ...base.keys[0]!, expiresAt: addMs(START, 1000) }] });
    running.moveClock(999);
    expect(await statusWith(SECRET)).toBe(200);
    running.moveClock(1);
    expect(await statusWith(SECRET)).toBe(401);
  });

  test('a key is refused from the instant it is revoked', async () => {
    const base = account();
    await startWith({ ...base, keys: [{ ...base.keys[0]!, revokedAt: addMs(START, 1000) }] });
    running.moveClock(999);
    expect(await statusWith(SECRET)).toBe(200);
    running.moveClock(1);
    expect(await statusWith(SECRET)).toBe(401);
  });

  test('Rotation: a replacement key works alongside the old one, and keeps working after the old one is revoked', async () => {
    const base = account();
    const replacement = issueKey({ name: 'second', secret: `${SECRET}-2`, createdAt: START }, base.grant);
    await startWith({ ...base, keys: [{ ...base.keys[0]!, revokedAt: addMs(START, 1000) }, replacement] });
    expect([await statusWith(SECRET), await statusWith(`${SECRET}-2`)]).toEqual([200, 200]);
    running.moveClock(1000);
    expect([await statusWith(SECRET), await statusWith(`${SECRET}-2`)]).toEqual([401, 200]);
  });
});

describe('Authentication › 403', () => {
  const QUERY_OF: Readonly<Record<Scope, string>> = {
    'rid.live': `live/rid?bbox=${BBOX}`,
    'adsb.live': `live/adsb?bbox=${BBOX}`,
    'rid.history': `history/rid?bbox=${BBOX}&start=2026-11-21T11:00:00Z&end=2026-11-21T12:00:00Z`,
    'adsb.history': `history/adsb?bbox=${BBOX}&start=2026-11-21T11:00:00Z&end=2026-11-21T12:00:00Z`,
  };

  test.each(Object.keys(QUERY_OF) as Scope[])('approval of %s does not grant another scope', async (approved) => {
    await startWith(account({ scopes: new Set([approved]) }));
    for (const [scope, pathAndQuery] of Object.entries(QUERY_OF)) {
      expect(await statusWith(SECRET, pathAndQuery), scope).toBe(scope === approved ? 200 : 403);
    }
  });

  test('an inactive grant', async () => {
    await startWith(account({ grant: { active: false, expiresAt: addMs(START, DAY) } }));
    const answer = await running.get(LIVE, asKey(SECRET));
    expect([answer.status, answer.json.error.code]).toEqual([403, 'grant_inactive']);
  });

  test('an expired grant, with a key that is valid for longer than the shortened grant', async () => {
    const base = account();
    await startWith({ ...base, grant: { active: true, expiresAt: addMs(START, 1000) } });
    expect(await statusWith(SECRET)).toBe(200);
    running.moveClock(1000);
    const answer = await running.get(LIVE, asKey(SECRET));
    expect([answer.status, answer.json.error.code]).toEqual([403, 'grant_expired']);
  });

  test('history outside the approved lookback, although within 30 days', async () => {
    await startWith(account({ lookbackDays: 2 }));
    const windowFrom = (msFromNow: number) => {
      const [start, end] = [addMs(START, msFromNow), addMs(START, msFromNow + 60_000)];
      return `history/rid?bbox=${BBOX}&start=${formatInstant(start)}&end=${formatInstant(end)}`;
    };
    expect(await statusWith(SECRET, windowFrom(-2 * DAY))).toBe(200);
    const answer = await running.get(windowFrom(-2 * DAY - 1), asKey(SECRET));
    expect([answer.status, answer.json.error.code]).toEqual([403, 'outside_lookback']);
    expect(await statusWith(SECRET, windowFrom(-31 * DAY))).toBe(400);
  });

  test('history before what is kept: an empty answer would say that nothing was received', async () => {
    const since = addMs(START, -DAY);
    running = await startConformanceService({ source: { ...listedSource([]), keptSince: () => since } });
    const windowFrom = (start: UpstreamInstant) =>
      `history/rid?bbox=${BBOX}&start=${formatInstant(start)}&end=${formatInstant(addMs(start, 60_000))}`;
    expect((await running.get(windowFrom(since))).status).toBe(200);
    const refused = await running.get(windowFrom(addMs(since, -1)));
    expect([refused.status, refused.json.error]).toEqual([
      403,
      { code: 'outside_lookback', message: `History is kept since ${formatInstant(since)} only: use a later start.` },
    ]);
  });
});

describe('Errors › 429: too many invalid keys from an address', () => {
  async function flood(headers?: Readonly<Record<string, string>>): Promise<number> {
    const wrong = Array.from({ length: FAILURES_AT_ONCE }, () =>
      running.get(LIVE, { ...asKey('wrong'), ...(headers ? { headers } : {}) }),
    );
    return (await Promise.all(wrong)).filter(({ status }) => status === 401).length;
  }

  test('does not look like a used-up allowance, spends none, and ends with time', async () => {
    const second = issueKey({ name: 'second', secret: `${SECRET}-2`, createdAt: START }, { expiresAt: null });
    await startWith({ ...account(), keys: [...account().keys, second] });
    expect((await running.get(LIVE, asKey(SECRET))).headers['x-dailylimit-remaining']).toBe('99999');
    expect(await flood()).toBe(FAILURES_AT_ONCE);
    const refused = await running.get(LIVE, asKey('wrong'));
    expect([refused.status, refused.json.error.code, refused.headers['retry-after']]).toEqual([
      429,
      'address_limit',
      '1',
    ]);
    expect(refused.headers).not.toHaveProperty('x-ratelimit-remaining');
    expect((await running.get(LIVE, asKey(SECRET))).headers['x-dailylimit-remaining']).toBe('99998');
    expect(await statusWith(`${SECRET}-2`)).toBe(429);
    running.moveClock(1000);
    expect(await statusWith(`${SECRET}-2`)).toBe(200);
  });

  test('behind a proxy counts the address that the proxy names', async () => {
    const proxies = new BlockList();
    proxies.addSubnet('127.0.0.0', 8);
    running = await startConformanceService({ accounts: [account()], proxies });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    expect(await flood(from('203.0.113.5'))).toBe(FAILURES_AT_ONCE);
    const statusFrom = async (address: string) =>
      (await running.get(LIVE, { ...asKey(SECRET), headers: from(address) })).status;
    expect(await statusFrom('203.0.113.5')).toBe(429);
    expect(await statusFrom('203.0.113.6')).toBe(200);
  });
});

test('the key decides the account: scopes are not mixed between accounts', async () => {
  const other = account({ id: 'b', scopes: new Set<Scope>(['rid.live']) });
  const keys = [issueKey({ name: 'b', secret: `${SECRET}-b`, createdAt: START }, other.grant)];
  await startWith(account({ scopes: new Set<Scope>(['adsb.live']) }), { ...other, keys });
  expect(await statusWith(SECRET)).toBe(200);
  expect(await statusWith(`${SECRET}-b`)).toBe(403);
});
