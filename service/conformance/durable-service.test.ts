import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LAYERS, MODES, operationPath, type Scope, scopeOf } from '#lib/contract/operation.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { runCommand } from '../cli/run-command.ts';
import { endProcesses, run } from '../cli/service-process.fixture.ts';
import { serviceNow } from '../service-now.ts';

const BBOX = '8,46.5,9,47.5';
const SERVE = ['--port', '0', '--tracks', '12,4'];
const ALL: readonly Scope[] = ['rid.live', 'adsb.live', 'rid.history', 'adsb.history'];

interface Kind {
  readonly scopes: readonly Scope[];
  readonly lookback: number;
  readonly perMinute: number;
  readonly perDay: number;
}

const KINDS: Readonly<Record<string, Kind>> = {
  everything: { scopes: ALL, lookback: 30, perMinute: 10_000, perDay: 100_000 },
  'no live scope': { scopes: ['rid.history', 'adsb.history'], lookback: 30, perMinute: 10_000, perDay: 100_000 },
  'one layer': { scopes: ['rid.live', 'rid.history'], lookback: 30, perMinute: 10_000, perDay: 100_000 },
  'one scope': { scopes: ['adsb.live'], lookback: 1, perMinute: 10_000, perDay: 100_000 },
  'one day of lookback': { scopes: ALL, lookback: 1, perMinute: 10_000, perDay: 100_000 },
  'five a minute': { scopes: ALL, lookback: 30, perMinute: 5, perDay: 100_000 },
};

let dataDir: string;
let baseUrl: string;
let service: ReturnType<typeof run>;
const keyOf = new Map<string, string>();

async function start(): Promise<void> {
  service = run(['serve', '--data', dataDir, ...SERVE]);
  baseUrl = (await service.ready).base_url;
}

function command(...words: readonly string[]) {
  const result = runCommand([...words, '--data', dataDir, '--json'], serviceNow());
  if (!result?.ok) throw new Error(result?.problems.join('\n') ?? `${words.join(' ')} is no command`);
  return JSON.parse(result.output);
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'durable-service-'));
  await start();
  for (const [name, { scopes, lookback, perMinute, perDay }] of Object.entries(KINDS)) {
    command('account', 'add', name, '--allowance', `${perMinute},${perDay}`);
    command('grant', 'approve', '--account', name, '--scopes', scopes.join(), '--lookback', String(lookback));
    keyOf.set(name, command('key', 'create', '--account', name, '--name', 'first').api_key);
  }
});
afterAll(() => {
  endProcesses();
  rmSync(dataDir, { recursive: true });
});

const spentIn = new Map<string, number>();

async function get(name: string, pathAndQuery: string) {
  const key = keyOf.get(name) as string;
  const before = dayOf(Date.now());
  const response = await fetch(`${baseUrl}${pathAndQuery}`, { headers: { authorization: `Bearer ${key}` } });
  const text = await response.text();
  const json = JSON.parse(text);
  expect(json.request_id).toBe(response.headers.get('x-request-id'));
  expect(text).not.toContain(key);
  const left = response.headers.get('x-dailylimit-remaining');
  if (left !== null && response.status !== 429) {
    const spent = (spentIn.get(`${name} ${before}`) ?? 0) + 1;
    spentIn.set(`${name} ${before}`, spent);
    if (dayOf(Date.now()) === before) expect(Number(left)).toBe((KINDS[name] as Kind).perDay - spent);
  }
  return { status: response.status, code: json.error?.code, headers: response.headers, left, json };
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

function windowAgo(ms: number): string {
  const start = Date.now() - ms;
  const at = (time: number) => formatInstant(upstreamInstant(time));
  return `bbox=${BBOX}&start=${at(start)}&end=${at(start + 10 * MINUTE_MS)}`;
}

const OPERATIONS = MODES.flatMap((mode) => LAYERS.map((layer) => ({ mode, layer, scope: scopeOf(mode, layer) })));
const QUERY = { live: () => `bbox=${BBOX}`, history: () => windowAgo(2 * HOUR_MS) };

function declareConformance(): void {
  const unlimited = Object.entries(KINDS).filter(([, { perMinute }]) => perMinute > 100);

  test.each(unlimited)('%s: each operation is answered, or refused and not charged', async (name, { scopes }) => {
    for (const { mode, layer, scope } of OPERATIONS) {
      const answer = await get(name, `${operationPath(mode, layer)}?${QUERY[mode]()}`);
      if (scopes.includes(scope)) {
        expect([answer.status, answer.json.mode, answer.json.layer, answer.json.version]).toEqual([
          200,
          mode,
          layer,
          '1',
        ]);
        expect(answer.left, scope).not.toBeNull();
      } else {
        expect([answer.status, answer.code, answer.left], scope).toEqual([403, 'scope_not_approved', null]);
      }
    }
  });

  test.each(unlimited)('%s: a query that is wrong is charged', async (name, { scopes }) => {
    const [mode, layer] = (scopes[0] as Scope).split('.').toReversed();
    const answer = await get(name, `/${mode}/${layer}?bbox=nonsense`);
    expect([answer.status, answer.left !== null]).toEqual([400, true]);
  });

  test.each(unlimited.filter(([, { scopes }]) => scopes.includes('rid.history')))(
    '%s: history is read within the lookback, and refused before it',
    async (name, { lookback }) => {
      const within = await get(name, `/history/rid?${windowAgo(lookback * DAY_MS - MINUTE_MS)}`);
      expect(within.status).toBe(200);
      const before = await get(name, `/history/rid?${windowAgo(lookback * DAY_MS + MINUTE_MS)}`);
      expect([before.status, before.code]).toEqual(
        lookback < 30 ? [403, 'outside_lookback'] : [400, 'invalid_request'],
      );
    },
  );

  test('five a minute: the sixth request waits for the next minute, also over a kill', async () => {
    let refusals = 0;
    for (let count = 0; count < 12; count += 1) {
      const answer = await get('five a minute', `/live/rid?bbox=${BBOX}`);
      if (answer.status === 429) {
        refusals += 1;
        const wait = Number(answer.headers.get('retry-after'));
        expect([answer.code, answer.headers.get('x-ratelimit-remaining')]).toEqual(['allowance_used_up', '0']);
        expect(wait >= 1 && wait <= 60).toBe(true);
      } else {
        const minute = Math.floor(Date.parse(answer.json.generated_at) / MINUTE_MS);
        grantedIn.set(minute, (grantedIn.get(minute) ?? 0) + 1);
      }
    }
    expect(refusals).toBeGreaterThan(0);
    expect([...grantedIn.values()].filter((granted) => granted > 5)).toEqual([]);
  });
}

const grantedIn = new Map<number, number>();

describe('a service over a data directory', () => {
  declareConformance();
});

describe('after a SIGKILL', () => {
  test('the past and its references are unchanged, and a second service was refused', async () => {
    const second = await run(['serve', '--data', dataDir, ...SERVE]).ended;
    expect([second.code, second.stdout, second.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/^Another service uses/m),
    ]);

    const query = windowAgo(3 * HOUR_MS);
    const before = (await get('everything', `/history/adsb?${query}`)).json.data;
    service.child.kill('SIGKILL');
    await service.ended;
    await start();
    expect((await get('everything', `/history/adsb?${query}`)).json.data).toEqual(before);
    expect(before.length).toBeGreaterThan(0);
  });

  declareConformance();

  test('a key that a command revokes is refused from the next request on, and its replacement is not', async () => {
    const words = ['--account', 'everything', '--name', 'first', '--data', dataDir, '--json'];
    const rotated = await run(['key', 'rotate', '--overlap', '1h', ...words]).ended;
    const { api_key } = JSON.parse(rotated.stdout);
    expect((await get('everything', `/live/rid?bbox=${BBOX}`)).status).toBe(200);
    expect((await run(['key', 'revoke', '--old', ...words]).ended).code).toBe(0);
    expect((await get('everything', `/live/rid?bbox=${BBOX}`)).status).toBe(401);
    keyOf.set('everything', api_key);
    expect((await get('everything', `/live/rid?bbox=${BBOX}`)).status).toBe(200);
  });

  test('a revoked grant is a 403 that costs nothing', async () => {
    command('grant', 'revoke', '--account', 'everything');
    const refused = await get('everything', `/live/rid?bbox=${BBOX}`);
    expect([refused.status, refused.code, refused.left]).toEqual([403, 'grant_inactive', null]);
  });

  test('a service that is stopped says nothing of a key', async () => {
    service.child.kill('SIGTERM');
    const { code, stdout, stderr } = await service.ended;
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 1]);
    expect(Object.keys(JSON.parse(stdout))).toEqual(['base_url']);
    for (const key of keyOf.values()) expect(stderr).not.toContain(key);
  });
});
