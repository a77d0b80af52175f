import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { endProcesses, run } from './service-process.fixture.ts';

let folder: string;
let recording: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-test-'));
  recording = join(folder, 'rid-one.jsonl.gz');
  const line = {
    t: '2023-04-01T16:00:00Z',
    id: 'secret-serial',
    lon: 8.5,
    lat: 47.4,
    alt_m: null,
    agl_m: 5,
    gs_mps: 0,
    trk_deg: null,
  };
  await writeFile(recording, gzipSync(`${JSON.stringify(line)}\nnot a line\n`));
});
afterAll(() => rm(folder, { recursive: true }));

afterEach(endProcesses);

const fetchWithKey = async (url: string, key: string) => fetch(url, { headers: { authorization: `Bearer ${key}` } });

test('the ready line carries the base URL and the key; SIGTERM stops the service cleanly', async () => {
  const { child, ready, ended } = run(['serve', '--port', '0', '--source', `recording:${recording}`]);
  const { base_url, api_key, ...others } = await ready;
  expect(others).toEqual({});
  const answer = await fetchWithKey(`${base_url}/live/rid?bbox=8,47,9,48`, api_key);
  const text = await answer.text();
  expect(JSON.parse(text).data[0]).toMatchObject({ height_agl_m: 5, altitude_m: null, speed_mps: 0, simulated: true });
  expect(text).not.toContain('secret-serial');
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n').length).toBe(1);
  expect(stderr).toContain('1 unreadable lines');
  expect(stderr).not.toContain(api_key);
});

test('the simulator is the default source; the environment may set the key; --control starts the control listener', async () => {
  const { ready, child, ended } = run(['serve', '--port', '0', '--tracks', '3,2', '--control'], {
    SERVICE_API_KEY: 'a-key-from-the-environment',
  });
  const { base_url, api_key, control_url } = await ready;
  expect(api_key).toBe('a-key-from-the-environment');
  expect((await fetchWithKey(`${base_url}/live/adsb?bbox=0,40,30,60`, api_key)).status).toBe(200);
  expect(await (await fetch(`${control_url}/requests`)).json()).toHaveLength(1);
  child.kill('SIGINT');
  expect((await ended).code).toBe(0);
});

test('--exit-with-parent: the service stops when standard input closes', async () => {
  const { child, ready, ended } = run([
    'serve',
    '--port',
    '0',
    '--source',
    `recording:${recording}`,
    '--exit-with-parent',
  ]);
  await ready;
  child.stdin?.end();
  expect((await ended).code).toBe(0);
});

test('all wrong options are reported at once on standard error, and nothing starts', async () => {
  const { code, stdout, stderr } = await run(['serve', '--port', 'x', '--tracks', 'y']).ended;
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.trimEnd().split('\n').length).toBe(2);
});

test('a recording is found in the folder of the caller, from which npm moves away', async () => {
  const { child, ready, ended } = run(['serve', '--port', '0', '--source', 'recording:rid-one.jsonl.gz'], {
    INIT_CWD: folder,
  });
  expect(await ready).toHaveProperty('base_url');
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

test('a missing recording and a port in use are each reported in one line', async () => {
  const missing = await run(['serve', '--port', '0', '--source', 'recording:rid-none.jsonl.gz'], { INIT_CWD: folder })
    .ended;
  expect([missing.code, missing.stderr]).toEqual([1, `${join(folder, 'rid-none.jsonl.gz')}: no such file\n`]);
  const first = run(['serve', '--port', '0', '--source', `recording:${recording}`]);
  const { port } = new URL((await first.ready).base_url);
  const second = await run(['serve', '--port', port, '--source', `recording:${recording}`]).ended;
  expect(second.code).toBe(1);
  expect(second.stderr).toContain('EADDRINUSE');
});

test('without a command it prints the usage', async () => {
  const { code, stdout, stderr } = await run([]).ended;
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('Usage: npm run service -- serve');
});
