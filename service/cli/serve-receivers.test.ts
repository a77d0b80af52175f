import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { MemoryPast } from '../past/memory-past.ts';
import type { PastState } from '../past/past.ts';
import { fastSurroundings } from '../receivers/feeds/recorded-inlet.fixture.ts';
import { startMovingAircraft } from '../receivers/moving-aircraft.fixture.ts';
import { openReceivers } from '../receivers/open-receivers.ts';
import { serveStatus } from '../receivers/status-socket.ts';
import { openServedReceivers } from './open-served-receivers.ts';
import { readServeOptions } from './read-serve-options.ts';
import { runFeedsCommand } from './receiver-commands.ts';
import { endProcesses, run } from './service-process.fixture.ts';

let folder: string;
let data: string;
let feeds: string;
let receiver: Awaited<ReturnType<typeof startMovingAircraft>>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-receivers-test-'));
  data = join(folder, 'data');
  feeds = join(folder, 'feeds.json');
  receiver = await startMovingAircraft({ count: 12 });
  await writeFile(feeds, JSON.stringify({ feeds: [{ id: 'roof', url: receiver.url }] }));
});
afterEach(async () => {
  endProcesses();
  await receiver.close();
  await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 50 });
});

interface Ready {
  readonly base_url: string;
  readonly api_key: string;
}

async function live({ base_url, api_key }: Ready) {
  const headers = { authorization: `Bearer ${api_key}` };
  const answer = await fetch(`${base_url}/live/adsb?bbox=7,46,19,50`, { headers });
  const text = await answer.text();
  return { text, data: JSON.parse(text).data as readonly WirePosition[] };
}

const allLive = (ready: Ready, count: number) =>
  eventually(async () => {
    const answer = await live(ready);
    expect(answer.data).toHaveLength(count);
    return answer;
  });

async function feedsCommand(...options: readonly string[]): Promise<string> {
  const result = await runFeedsCommand(['--data', data, ...options]);
  return result.ok ? result.output : result.problems.join('\n');
}

async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test('from a tar1090 to the contract: received, not simulated, counted, and without the received names', async () => {
  const options = ['serve', '--port', '0', '--data', data, '--feeds', feeds, '--one-key'];
  const { child, ready, ended } = run(options);
  const first = await allLive(await ready, 12);
  for (const position of first.data) {
    expect(position).toMatchObject({
      simulated: false,
      test_broadcast: false,
      receiver_count: 1,
      confidence: 'single',
      altitude_m: 11_582.4,
      speed_mps: 205.78,
      heading_deg: 90,
      emergency_state: 'none',
      track_kind: 'adsb_aircraft',
    });
  }
  await eventually(async () => {
    const { data } = await live(await ready);
    for (const position of data) {
      const before = first.data.find(({ public_track_id }) => public_track_id === position.public_track_id);
      expect(position.longitude).toBeGreaterThan(before?.longitude ?? -180);
    }
  });

  const reported = await feedsCommand();
  expect(reported).toMatch(/^roof +receiving +\d+ +\d s ago +[+-]0\.\d s +none +(none|\d+ late)$/m);
  const status = JSON.parse(await feedsCommand('--json'));
  expect(status).toMatchObject({ problems: [], past: { problem: null, dropped: {} }, view: { lat: 47.6 } });

  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  expect(code).toBe(0);

  const names = ['3c6000', '3c600b', 'TEST100', 'D-AIZQ', 'Example Air', '271.5', '12.345'];
  const files = await filesIn(data);
  expect(files.length).toBeGreaterThan(2);
  const left = await Promise.all(files.map((file) => readFile(file, 'latin1')));
  for (const text of [...left, first.text, reported, JSON.stringify(status), stderr]) {
    for (const name of names) expect(text.toLowerCase().includes(name.toLowerCase()), name).toBe(false);
  }
  for (const file of files) expect((await stat(file)).mode & 0o077, file).toBe(0);

  const again = run(options);
  const later = await allLive(await again.ready, 12);
  const references = (answer: typeof first) => new Set(answer.data.map(({ public_track_id }) => public_track_id));
  expect(references(later).intersection(references(first)).size).toBeGreaterThanOrEqual(11);
  const { base_url, api_key } = await again.ready;
  const endMs = Date.now();
  const window = `start=${new Date(endMs - 3_600_000).toISOString()}&end=${new Date(endMs).toISOString()}`;
  const history = await fetch(`${base_url}/history/adsb?bbox=7,46,12,50&limit=1000&${window}`, {
    headers: { authorization: `Bearer ${api_key}` },
  });
  const { data: past } = await history.json();
  const firstTimes = first.data.map(({ observed_at }) => observed_at);
  expect(past.map(({ observed_at }: WirePosition) => observed_at)).toEqual(expect.arrayContaining(firstTimes));
});

test('reports a receiver that is down, and a file of feeds that became wrong', async () => {
  receiver.setDown(true);
  const past = new MemoryPast();
  let problem: PastState['problem'];
  const receivers = await openReceivers({
    choice: { kind: 'file', path: feeds },
    secret: randomBytes(32),
    past,
    pastState: () => ({ ...past.state(), problem }),
    surroundings: fastSurroundings,
    log: () => {},
  });
  await mkdir(data, { mode: 0o700 });
  const status = await serveStatus(data, receivers);
  try {
    await eventually(async () => expect(await feedsCommand()).toContain('(status 502)'));
    await writeFile(feeds, '{"feeds":[{"id":"roof"}]}');
    await eventually(async () =>
      expect(await feedsCommand()).toContain('The file of feeds is not used as it is now: feeds[0].url: '),
    );
    receiver.setDown(false);
    await eventually(async () => expect(await feedsCommand()).toMatch(/^roof +receiving/m));
    expect(await feedsCommand()).not.toContain('recorded');
    problem = { cause: 'disk_full', since: upstreamInstant(Date.now()), message: '' };
    expect(await feedsCommand()).toContain('Nothing is recorded at present: the disk is full');
  } finally {
    await status.close();
    await receivers.close();
  }
});

test('feeds names the fields that are not known, and those whose values are not used', async () => {
  const other = await startMovingAircraft({ count: 1, change: { gs: 'fast', brand_new: 1 } });
  const receivers = await openReceivers({
    choice: { kind: 'file', path: feeds },
    secret: randomBytes(32),
    past: new MemoryPast(),
    pastState: () => new MemoryPast().state(),
    surroundings: fastSurroundings,
    log: () => {},
  });
  await mkdir(data, { mode: 0o700 });
  const status = await serveStatus(data, receivers);
  try {
    await writeFile(feeds, JSON.stringify({ feeds: [{ id: 'roof', url: other.url }] }));
    await eventually(async () => expect(await feedsCommand()).toMatch(/^roof, fields not known: \d+ brand_new$/m));
    expect(await feedsCommand()).toMatch(/^roof, values not used: \d+ gs$/m);
    expect(JSON.parse(await feedsCommand('--json')).feeds).toMatchObject([
      { fields_not_known: { brand_new: expect.any(Number) }, values_not_used: { gs: expect.any(Number) } },
    ]);
  } finally {
    await status.close();
    await receivers.close();
    await other.close();
  }
});

test('runs although the state of the receivers cannot be reported', async () => {
  await mkdir(join(data, 'status.sock'), { recursive: true });
  const said: string[] = [];
  const receivers = await openServedReceivers(
    { kind: 'list', feeds: [] },
    { path: data, referenceSecret: randomBytes(32) },
    { host: '127.0.0.1', pushPort: undefined, proxies: undefined, keepDays: undefined, keepBytes: undefined },
    (entry) => said.push(entry),
  );
  await receivers.close();
  expect(said).toEqual([expect.stringContaining('The state of the receivers is not reported at')]);
});

test('does not start with a wrong file of feeds, and reports all its problems', async () => {
  await writeFile(feeds, '{"feeds":[{"id":"the roof","url":"radar://roof"}]}');
  const { code, stderr } = await run(['serve', '--port', '0', '--data', data, '--feeds', feeds]).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('feeds[0].id: write 1 to 40 letters');
  expect(stderr).toContain('feeds[0].url: write one of http://');
});

test('reports all wrong options at once, with hints', () => {
  const problemsOf = (line: string) => {
    const read = readServeOptions(line.split(' '), {});
    return read.ok ? [] : read.problems;
  };
  expect(problemsOf('--receivers radar://roof,pi.local --source simulator --feeds x --one-key')).toEqual([
    expect.stringContaining('--one-key is for --data'),
    expect.stringContaining('--feeds and --receivers: write one of them'),
    expect.stringContaining('--source does not apply to --feeds'),
  ]);
  expect(problemsOf('--receivers radar://roof,pi.local')).toEqual([
    expect.stringContaining('--receivers radar://roof: write one of http://'),
    expect.stringContaining('--receivers pi.local: write http:// before it'),
  ]);
  expect(problemsOf('--data here --one-key --allowance 1,2 --receivers sbs://pi.local')).toEqual([]);
});

test('feeds without a service says how to start one', async () => {
  expect(await runFeedsCommand(['--data', data])).toEqual({
    ok: false,
    exitCode: 1,
    problems: [expect.stringContaining('No service with feeds runs over')],
  });
  expect(await runFeedsCommand([])).toMatchObject({ ok: false, exitCode: 2 });
});
