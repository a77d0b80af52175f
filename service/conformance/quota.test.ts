import { afterEach, describe, expect, test } from 'vitest';
import type { Scope } from '#lib/contract/operation.ts';
import { epochMs } from '#lib/time/instant.ts';
import { issueKey } from '../accounts/api-key.ts';
import { fullAccessAccount } from '../server/start-service.ts';
import {
  BBOX,
  type ConformanceAnswer,
  type ConformanceService,
  START,
  startConformanceService,
} from './conformance-service.ts';

let running: ConformanceService;
afterEach(() => running.service.close());

const LIVE = `live/rid?bbox=${BBOX}`;

async function start(perMinute: number, perDay: number) {
  running = await startConformanceService({ allowance: { perMinute, perDay } });
}

function left({ headers }: ConformanceAnswer): [number, number] {
  return [Number(headers['x-ratelimit-remaining']), Number(headers['x-dailylimit-remaining'])];
}

describe('Quota rules', () => {
  test('a successfully authorised request consumes one, including empty results', async () => {
    await start(10, 100);
    expect(left(await running.get(LIVE))).toEqual([9, 99]);
    expect(left(await running.get(LIVE))).toEqual([8, 98]);
  });

  test('a request that fails later in query processing consumes one, and reports what is left', async () => {
    await start(10, 100);
    const failed = await running.get('live/rid?bbox=nonsense');
    expect(failed.status).toBe(400);
    expect(left(failed)).toEqual([9, 99]);
    expect(left(await running.get(LIVE))).toEqual([8, 98]);
  });

  test('invalid credentials do not consume, nor do unknown paths and other methods', async () => {
    await start(10, 100);
    for (const options of [{ authorization: null }, { authorization: 'Bearer wrong' }]) {
      const refused = await running.get(LIVE, options);
      expect(refused.status).toBe(401);
      expect(refused.headers).not.toHaveProperty('x-ratelimit-remaining');
    }
    await running.get('live/unknown');
    await running.get(LIVE, { method: 'POST' });
    expect(left(await running.get(LIVE))).toEqual([9, 99]);
  });

  test('denied scopes do not consume', async () => {
    const account = fullAccessAccount('one-scope-0123456789012', { perMinute: 10, perDay: 100 }, START);
    running = await startConformanceService({ accounts: [{ ...account, scopes: new Set<Scope>(['rid.live']) }] });
    const options = { authorization: 'Bearer one-scope-0123456789012' };
    expect((await running.get(`live/adsb?bbox=${BBOX}`, options)).status).toBe(403);
    expect(left(await running.get(LIVE, options))).toEqual([9, 99]);
  });

  test('allowances are shared by every key of the account, and by no other account', async () => {
    const allowance = { perMinute: 10, perDay: 100 };
    const account = fullAccessAccount('first-key-0123456789012', allowance, START);
    const second = issueKey({ name: '2', secret: 'second-key-0123456789012', createdAt: START }, account.grant);
    const other = { ...fullAccessAccount('other-key-0123456789012', allowance, START), id: 'other' };
    running = await startConformanceService({ accounts: [{ ...account, keys: [...account.keys, second] }, other] });
    const leftFor = async (key: string) => left(await running.get(LIVE, { authorization: `Bearer ${key}` }));
    expect(await leftFor('first-key-0123456789012')).toEqual([9, 99]);
    expect(await leftFor('second-key-0123456789012')).toEqual([8, 98]);
    expect(await leftFor('other-key-0123456789012')).toEqual([9, 99]);
  });

  test('minute counters reset at the next minute, not a minute after the first request', async () => {
    await start(3, 100);
    await running.get(LIVE);
    running.moveClock(49_999);
    expect(left(await running.get(LIVE))).toEqual([1, 98]);
    running.moveClock(1);
    expect(left(await running.get(LIVE))).toEqual([2, 97]);
  });

  test('daily counters reset at midnight UTC', async () => {
    await start(100, 5);
    expect(left(await running.get(LIVE))).toEqual([99, 4]);
    running.moveClock(Date.UTC(2026, 10, 22) - epochMs(running.now()) - 1);
    expect(left(await running.get(LIVE))).toEqual([99, 3]);
    running.moveClock(1);
    expect(left(await running.get(LIVE))).toEqual([99, 4]);
  });

  test('concurrent requests do not overspend the allowance', async () => {
    await start(20, 1000);
    const answers = await Promise.all(Array.from({ length: 40 }, () => running.get(LIVE)));
    expect(answers.filter(({ status }) => status === 200).length).toBe(20);
    expect(answers.filter(({ status }) => status === 429).length).toBe(20);
  });
});

describe('Errors › 429', () => {
  test('the minute is used up: Retry-After is the seconds to the next minute, when requests succeed again', async () => {
    await start(1, 100);
    await running.get(LIVE);
    const refused = await running.get(LIVE);
    expect([refused.status, refused.json.error.code]).toEqual([429, 'allowance_used_up']);
    expect(refused.headers['retry-after']).toBe('50');
    expect(left(refused)).toEqual([0, 99]);
    running.moveClock(50_000);
    expect((await running.get(LIVE)).status).toBe(200);
  });

  test('the day is used up: Retry-After is the seconds to midnight UTC', async () => {
    await start(100, 1);
    await running.get(LIVE);
    const refused = await running.get(LIVE);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBe(11 * 3600 + 59 * 60 + 50);
    expect(left(refused)).toEqual([99, 0]);
    running.moveClock(60_000);
    expect((await running.get(LIVE)).status).toBe(429);
  });

  test('Retry-After is never too short, and at least one second', async () => {
    await start(1, 100);
    running.moveClock(49_999);
    await running.get(LIVE);
    expect((await running.get(LIVE)).headers['retry-after']).toBe('1');
  });

  test('a refused request consumes nothing of the daily allowance', async () => {
    await start(1, 100);
    for (let count = 0; count < 5; count += 1) await running.get(LIVE);
    running.moveClock(60_000);
    expect(left(await running.get(LIVE))).toEqual([0, 98]);
  });

  test('a service without quotas answers everything, and reports no allowance', async () => {
    running = await startConformanceService({ allowance: { perMinute: 1, perDay: 1 }, isCounted: false });
    for (let request = 0; request < 3; request += 1) {
      const { status, headers } = await running.get(LIVE);
      expect(status).toBe(200);
      expect(headers).not.toHaveProperty('x-ratelimit-remaining');
      expect(headers).not.toHaveProperty('x-dailylimit-remaining');
    }
  });
});
