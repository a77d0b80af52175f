import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { type Cluster, postgresPrograms, startCluster } from '../postgres/postgres-cluster.fixture.ts';
import type { PostgresTarget } from '../postgres/postgres-target.ts';
import { startMovingAircraft } from '../receivers/moving-aircraft.fixture.ts';
import { runCommand } from './run-command.ts';
import { endProcesses, run } from './service-process.fixture.ts';

const programs = postgresPrograms();
const TIMEOUT_MS = 120_000;
/** A machine that others share can be many times slower. */
const PATIENT = { timeout: 40_000, interval: 100 };
const AIRCRAFT = 6;

describe.skipIf(programs === undefined)('services that share positions in PostgreSQL', { timeout: TIMEOUT_MS }, () => {
  let cluster: Cluster;
  let folder: string;
  let target: PostgresTarget;
  let receiver: Awaited<ReturnType<typeof startMovingAircraft>>;
  beforeAll(() => {
    cluster = startCluster(programs as string);
  }, TIMEOUT_MS);
  afterAll(() => cluster?.remove());
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'serve-shared-positions-'));
    target = cluster.target();
    receiver = await startMovingAircraft({ count: AIRCRAFT });
  });
  afterEach(async () => {
    endProcesses();
    await receiver.close();
    rmSync(folder, { recursive: true, maxRetries: 5, retryDelay: 50 });
  });

  const store = () => `postgres:///${target.database}?host=${target.host}&user=${target.user}`;

  async function makeKey(): Promise<string> {
    const command = async (...words: readonly string[]) => {
      const result = await runCommand([...words, '--store', store(), '--json'], upstreamInstant(Date.now()));
      if (!result?.ok) throw new Error(result?.problems.join('\n') ?? 'no such command');
      return JSON.parse(result.output);
    };
    await command('account', 'add', 'A', '--allowance', '100000,1000000');
    const scopes = 'adsb.live,adsb.history,rid.history';
    await command('grant', 'approve', '--account', 'A', '--lookback', '1', '--scopes', scopes);
    return (await command('key', 'create', '--account', 'A', '--name', 'N')).api_key;
  }

  /** A service on a machine of its own, which has the secret of the first one. */
  function serve(machine: string, ...options: readonly string[]) {
    mkdirSync(join(folder, machine), { mode: 0o700 });
    const secret = join(folder, 'one', 'reference-secret');
    if (machine !== 'one') copyFileSync(secret, join(folder, machine, 'reference-secret'));
    return run(['serve', '--port', '0', '--data', join(folder, machine), '--store', store(), ...options]);
  }

  async function ask(baseUrl: string, key: string, query: string) {
    const answer = await fetch(baseUrl + query, { headers: { authorization: `Bearer ${key}` } });
    const body = await answer.json();
    return { status: answer.status, code: body.error?.code, data: body.data as readonly WirePosition[] };
  }

  const live = (url: string, key: string) => ask(url, key, '/live/adsb?bbox=7,46,19,50');

  const allLive = (url: string, key: string) =>
    vi.waitFor(async () => {
      const answer = await live(url, key);
      expect(answer).toMatchObject({ status: 200, data: { length: AIRCRAFT } });
      return answer.data;
    }, PATIENT);

  const history = async (url: string, key: string, start: number, end: number) => {
    const window = `start=${new Date(start).toISOString()}&end=${new Date(end).toISOString()}`;
    const { status, data } = await ask(url, key, `/history/adsb?bbox=7,46,12,50&limit=1000&${window}`);
    expect(status).toBe(200);
    return data;
  };

  test('one listens, the others answer the same; when it is killed, the one that waits goes on, and each aircraft is one', async () => {
    const key = await makeKey();
    const began = Date.now();
    const one = serve('one', '--receivers', receiver.url);
    const oneUrl: string = (await one.ready).base_url;
    const reader = serve('reader');
    const waiting = serve('waiting', '--receivers', receiver.url, '--keep-days', '3');
    const [readerUrl, waitingUrl]: string[] = [(await reader.ready).base_url, (await waiting.ready).base_url];
    const first = await allLive(readerUrl!, key);
    await allLive(oneUrl, key);
    expect(await allLive(waitingUrl!, key)).toHaveLength(AIRCRAFT);
    // Of a traffic that stands still each of them answers the same.
    receiver.setDown(true);
    await vi.waitFor(async () => {
      const answers = await Promise.all([oneUrl, readerUrl!, waitingUrl!].map((url) => live(url, key)));
      expect(answers[0]).toMatchObject({ status: 200, data: { length: AIRCRAFT } });
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }, PATIENT);
    const until = Date.now();
    const recorded = await history(oneUrl, key, began, until);
    expect(recorded.length).toBeGreaterThanOrEqual(AIRCRAFT);
    for (const url of [readerUrl!, waitingUrl!]) expect(await history(url, key, began, until)).toEqual(recorded);

    one.child.kill('SIGKILL');
    await one.ended;
    receiver.setDown(false);
    const moved = await vi.waitFor(async () => {
      const { status, data } = await live(readerUrl!, key);
      expect([status, data?.length]).toEqual([200, AIRCRAFT]);
      for (const { observed_at } of data) expect(Date.parse(observed_at)).toBeGreaterThan(until);
      return data;
    }, PATIENT);
    const references = (data: readonly WirePosition[]) => new Set(data.map(({ public_track_id }) => public_track_id));
    // One of them may have come to its time of change.
    expect(references(moved).intersection(references(first)).size).toBeGreaterThanOrEqual(AIRCRAFT - 1);
    const all = await history(readerUrl!, key, began, Date.now());
    expect(all.slice(0, recorded.length)).toEqual(recorded);
    const places = all.map(({ public_track_id, observed_at }) => `${public_track_id} ${observed_at}`);
    expect(new Set(places).size).toBe(places.length);

    for (const { child, ended } of [waiting, reader]) {
      child.kill('SIGTERM');
      const { code, stderr } = await ended;
      expect(code).toBe(0);
      const records = stderr.match(/This service records/g)?.length ?? 0;
      expect(records).toBe(child === waiting.child ? 1 : 0);
    }
  });

  test('where nobody records, nothing is said to be live; what was recorded is answered', async () => {
    const key = await makeKey();
    const one = serve('one', '--receivers', receiver.url);
    const began = Date.now();
    await allLive((await one.ready).base_url, key);
    // The one that would wait is told at its start what is wrong with its receivers.
    const wrong = await serve('waiting', '--feeds', join(folder, 'none.json')).ended;
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('none.json')]);
    one.child.kill('SIGTERM');
    expect((await one.ended).code).toBe(0);
    // As if ten seconds had gone by.
    cluster.sql('update lookout.past set heartbeat_at = heartbeat_at - 10000', target.database);
    const reader = serve('reader');
    const url: string = (await reader.ready).base_url;
    expect(await live(url, key)).toMatchObject({ status: 503, code: 'unavailable' });
    expect((await history(url, key, began, Date.now())).length).toBeGreaterThanOrEqual(AIRCRAFT);
  });
});
