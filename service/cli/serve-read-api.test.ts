import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { freePort } from '#testing/free-port.ts';
import { startMovingAircraft } from '../receivers/moving-aircraft.fixture.ts';
import { endProcesses, run } from './service-process.fixture.ts';

const AREA = '5,45,11,49';
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-read-api-'));
});
afterEach(async () => {
  endProcesses();
  await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 50 });
});

async function startAccount() {
  const account = run(['serve', '--port', '0', '--tracks', '400,20', '--prefix', 'CLUB']);
  const { base_url, api_key } = await account.ready;
  await writeFile(join(folder, 'club-key'), api_key);
  const feed = { id: 'club', url: `read-api+${base_url}`, key_file: 'club-key', areas: [AREA], seconds: 2 };
  await writeFile(join(folder, 'feeds.json'), JSON.stringify({ feeds: [{ ...feed, requests_a_day: 100_000 }] }));
  return { process: account, feed };
}

const today = () => Math.floor(Date.now() / DAY_MS);

async function startService() {
  const service = run([
    ...['serve', '--port', '0', '--data', join(folder, 'data'), '--feeds', join(folder, 'feeds.json'), '--one-key'],
  ]);
  const { base_url, api_key } = await service.ready;
  const headers = { authorization: `Bearer ${api_key}` };
  const live = async (layer: string): Promise<WirePosition[]> =>
    (await (await fetch(`${base_url}/live/${layer}?bbox=${AREA}&limit=1000`, { headers })).json()).data;
  const feed = async () => {
    const { output } = await run(['feeds', '--data', join(folder, 'data'), '--json']).ended.then(({ stdout }) => ({
      output: stdout,
    }));
    return JSON.parse(output).feeds[0];
  };
  return { process: service, live, feed, baseUrl: base_url as string };
}

test('a service serves what the account of another one has, says what it costs, and counts on after it was killed', {
  timeout: 60_000,
}, async () => {
  const account = await startAccount();
  const first = await startService();
  expect(first.process.output.stderr).toContain(
    'club: reading every 2 s needs 86400 requests a day or more; 100000 are allowed',
  );
  const records = await eventually(async () => {
    const found = await first.live('adsb');
    expect(found.length).toBeGreaterThan(10);
    expect(await first.live('rid')).not.toEqual([]);
    return found;
  });
  for (const { simulated, received_by, public_track_id } of records) {
    expect([simulated, received_by]).toEqual([true, 'other']);
    expect(public_track_id).toMatch(/^LKT-A-/);
  }
  const text = await run(['feeds', '--data', join(folder, 'data')]).ended;
  expect(text.stdout).toMatch(
    /club: \d+ of 100000 requests today, 86400 or more are needed a day; its account has \d+ left/,
  );
  const day = today();
  const { requests, problem } = await first.feed();
  // Midnight UTC begins a day without any.
  const countsOn = (used: number) => {
    if (today() === day) expect(used).toBeGreaterThanOrEqual(requests.used);
  };
  expect(problem).toBeNull();
  first.process.child.kill('SIGKILL');
  await first.process.ended;
  const again = await startService();
  countsOn((await again.feed()).requests.used);
  account.process.child.kill('SIGKILL');
  await eventually(async () => expect((await again.feed()).problem).toBe('nothing listens there'));
  again.process.child.kill('SIGTERM');
  await again.process.ended;
  const stored = JSON.parse(await readFile(join(folder, 'data', 'requests.json'), 'utf8'));
  countsOn(stored.used.club);
});

test('a service that is given its own address refuses it in words', { timeout: 60_000 }, async () => {
  const { feed } = await startAccount();
  const own = await startService();
  const config = JSON.parse(await readFile(join(folder, 'feeds.json'), 'utf8'));
  const { api_key } = await own.process.ready.catch(() => ({ api_key: '' }));
  await writeFile(join(folder, 'own-key'), api_key);
  config.feeds = [{ ...feed, url: `read-api+${own.baseUrl}`, key_file: 'own-key', requests_a_day: 100_000 }];
  await writeFile(join(folder, 'feeds.json'), JSON.stringify(config));
  await eventually(async () => expect((await own.feed()).problem).toBe('it is this service itself: leave it out'));
});

test('two services that read each other have what both receive, once, and each counts two receivers', {
  timeout: 60_000,
}, async () => {
  const receiver = await startMovingAircraft({ count: 3 });
  onTestFinished(() => receiver.close());
  const ports = [await freePort(), await freePort()];
  const key = 'the-key-of-both-services';
  await writeFile(join(folder, 'key'), key);
  const services = await Promise.all(
    ports.map(async (port, index) => {
      const name = `feeds-${index}.json`;
      const other = { id: 'other', url: `read-api+http://127.0.0.1:${ports[1 - index]}/v1`, key_file: 'key' };
      const account = { ...other, areas: [AREA], seconds: 1, requests_a_day: 200_000 };
      const feeds = [{ id: 'roof', url: receiver.url }, account];
      await writeFile(join(folder, name), JSON.stringify({ feeds }));
      const given = ['serve', '--port', String(port), '--feeds', join(folder, name)];
      const { base_url } = await run(given, { SERVICE_API_KEY: key }).ready;
      return async () => {
        const headers = { authorization: `Bearer ${key}` };
        return (await fetch(`${base_url}/live/adsb?bbox=${AREA}`, { headers })).json();
      };
    }),
  );
  const settled = () =>
    eventually(async () => {
      for (const ask of services) {
        const { data, reception } = await ask();
        expect(data.length).toBe(6);
        expect(reception).toMatchObject({ state: 'ok', receivers: 2, own: { receivers: 1 } });
      }
    });
  await settled();
  // Each reads the other several times.
  await new Promise((resolve) => setTimeout(resolve, 5000));
  for (const ask of services) {
    const { data, reception } = await ask();
    expect(data.length).toBeLessThanOrEqual(6);
    expect(reception.receivers).toBe(2);
  }
});
