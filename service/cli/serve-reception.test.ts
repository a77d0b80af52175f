import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pastReceptionSchema, receptionSchema } from '#lib/contract/reception.ts';
import { eventually } from '#testing/eventually.ts';
import { startMovingAircraft } from '../receivers/moving-aircraft.fixture.ts';
import { decodeReceptionDay } from '../receivers/reception/reception-record.ts';
import { endProcesses, run } from './service-process.fixture.ts';

let data: string;
let receiver: Awaited<ReturnType<typeof startMovingAircraft>>;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'serve-reception-'));
  receiver = await startMovingAircraft({ count: 3 });
  await writeFile(join(data, 'feeds.json'), JSON.stringify({ feeds: [{ id: 'my-roof', url: receiver.url }] }));
});
afterEach(async () => {
  endProcesses();
  await receiver.close();
  await rm(data, { recursive: true, maxRetries: 5, retryDelay: 50 });
});

async function serve() {
  const process = run([
    ...['serve', '--port', '0', '--data', data, '--feeds', join(data, 'feeds.json')],
    ...['--one-key', '--announce'],
  ]);
  const { base_url, api_key } = await process.ready;
  const ask = async (target: string) => {
    const answer = await fetch(`${base_url}/${target}`, { headers: { authorization: `Bearer ${api_key}` } });
    const text = await answer.text();
    expect(text).not.toContain('my-roof');
    return JSON.parse(text);
  };
  const becomes = (state: string) =>
    eventually(async () => {
      const { data, reception } = await ask('live/adsb?bbox=7,46,19,50');
      const live = receptionSchema.parse(reception);
      expect(live.state).toBe(state);
      return { records: data.length, sinceMs: Date.parse(live.since ?? '') };
    });
  const pastStates = async (fromMs: number, layer = 'adsb') => {
    const window = [fromMs, Date.now() - 1].map((ms) => new Date(ms).toISOString());
    const { reception } = await ask(`history/${layer}?bbox=7,46,12,50&start=${window[0]}&end=${window[1]}`);
    return pastReceptionSchema.parse(reception).stretches;
  };
  return { ...process, becomes, pastStates };
}

async function storedLosses() {
  const names = (await readdir(join(data, 'reception'))).filter((name) => name.endsWith('.json'));
  const days = await Promise.all(
    names.map(async (name) => decodeReceptionDay(await readFile(join(data, 'reception', name), 'utf8'))),
  );
  return days.flatMap((day) => [...day.values()].flatMap(({ runs }) => runs)).filter(({ isReceiving }) => !isReceiving);
}

test('a service that was killed knows when it received, and that it did not since', async () => {
  const fromMs = Date.now();
  const first = await serve();
  const ok = await first.becomes('ok');
  receiver.setDown(true);
  const announced = first.output.stdout.length;
  const lost = await first.becomes('lost');
  expect(lost.sinceMs).toBeGreaterThanOrEqual(ok.sinceMs);
  await eventually(() => expect(first.output.stdout.slice(announced)).toContain('adsb\n'));
  await eventually(async () => expect(await storedLosses()).not.toEqual([]));
  first.child.kill('SIGKILL');
  await first.ended;

  receiver.setDown(false);
  const again = await serve();
  const back = await again.becomes('ok');
  const stretches = await eventually(async () => {
    const found = await again.pastStates(fromMs);
    expect(found.map(({ state }) => state)).toEqual(['none', 'ok', 'lost', 'ok']);
    return found;
  });
  expect(Date.parse(stretches[2]!.to)).toBeGreaterThanOrEqual(back.sinceMs - 100);
  expect(new Set((await again.pastStates(fromMs, 'rid')).map(({ state }) => state))).toEqual(new Set(['none']));
  again.child.kill('SIGTERM');
  expect((await again.ended).code).toBe(0);
  for (const name of await readdir(join(data, 'reception'))) {
    const file = join(data, 'reception', name);
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await readFile(file, 'utf8')).not.toMatch(/\d\.\d/);
  }

  const files = await readdir(join(data, 'reception'));
  for (const file of files) await writeFile(join(data, 'reception', file), '{"version":1,');
  const third = await serve();
  await third.becomes('ok');
  for (const file of files) expect(third.output.stderr).toContain(`${file} is damaged`);
});
