import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { startMovingAircraft } from '../receivers/moving-aircraft.fixture.ts';
import { runCommand } from './run-command.ts';
import { endProcesses, run } from './service-process.fixture.ts';

const AIRCRAFT = 6;

let folder: string;
let receiver: Awaited<ReturnType<typeof startMovingAircraft>>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'serve-standby-'));
  receiver = await startMovingAircraft({ count: AIRCRAFT });
});
afterEach(async () => {
  endProcesses();
  await receiver.close();
  rmSync(folder, { recursive: true, maxRetries: 5, retryDelay: 50 });
});

const dataOf = (machine: string) => join(folder, machine);

function command(...words: readonly string[]) {
  const result = runCommand([...words, '--data', dataOf('one'), '--json'], upstreamInstant(Date.now()));
  if (!result?.ok) throw new Error(result?.problems.join('\n') ?? 'no such command');
  return JSON.parse(result.output);
}

function makeKey(): string {
  command('account', 'add', 'A', '--allowance', '100000,1000000');
  command('grant', 'approve', '--account', 'A', '--lookback', '1', '--scopes', 'adsb.live,adsb.history');
  return command('key', 'create', '--account', 'A', '--name', 'N').api_key;
}

const serve = (machine: string) =>
  run(['serve', '--port', '0', '--data', dataOf(machine), '--receivers', receiver.url]);

async function ask(url: string, key: string, path: string) {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  return (await answer.json()).data as readonly WirePosition[];
}

const allLive = (url: string, key: string) =>
  eventually(async () => {
    const data = await ask(url, key, '/live/adsb?bbox=7,46,19,50');
    expect(data).toHaveLength(AIRCRAFT);
    return data;
  });

const tracksOf = (positions: readonly WirePosition[]) =>
  new Set(positions.map(({ public_track_id }) => public_track_id));

test('a standby made from a backup has its own past, and answers with the same keys and references', async () => {
  const key = makeKey();
  const one = serve('one');
  const oneUrl: string = (await one.ready).base_url;
  command('backup', '--to', dataOf('two'));
  const two = serve('two');
  const twoUrl: string = (await two.ready).base_url;
  const [ofOne, before] = [await allLive(oneUrl, key), await allLive(twoUrl, key)];

  one.child.kill('SIGKILL');
  await one.ended;
  const killedMs = Date.now();
  await eventually(async () => {
    for (const { observed_at } of await ask(twoUrl, key, '/live/adsb?bbox=7,46,19,50')) {
      expect(Date.parse(observed_at)).toBeGreaterThan(killedMs);
    }
  });
  const window = `start=${new Date(killedMs - 3_600_000).toISOString()}&end=${new Date(killedMs).toISOString()}`;
  const past = await ask(twoUrl, key, `/history/adsb?bbox=7,46,12,50&limit=1000&${window}`);
  const times = past.map(({ observed_at }) => observed_at);
  for (const { observed_at } of before) expect(times).toContain(observed_at);
  expect(tracksOf(past).intersection(tracksOf(ofOne)).size).toBeGreaterThanOrEqual(AIRCRAFT - 1);
});
