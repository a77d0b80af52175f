import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { startMovingAircraft } from '../receivers/moving-aircraft.fixture.ts';
import type { StationHoursReport } from '../receivers/stations/hours-report.ts';
import { readStatus } from '../receivers/status-socket.ts';
import { endProcesses, run } from './service-process.fixture.ts';

/** So many that a few answers are enough. */
const ALL = 60;
const SHARED = 25;

type Receiver = Awaited<ReturnType<typeof startMovingAircraft>>;

let data: string;
let wide: Receiver;
let narrow: Receiver;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'serve-stations-'));
  wide = await startMovingAircraft({ count: ALL, clockErrorMs: 3000 });
  narrow = await startMovingAircraft({ count: SHARED });
  const feeds = [
    { id: 'wide', url: wide.url },
    { id: 'narrow', url: narrow.url },
  ];
  await writeFile(join(data, 'feeds.json'), JSON.stringify({ feeds }));
});
afterEach(async () => {
  endProcesses();
  await wide.close();
  await narrow.close();
  await rm(data, { recursive: true, maxRetries: 5, retryDelay: 50 });
});

const serve = () => run(['serve', '--port', '0', '--data', data, '--feeds', join(data, 'feeds.json'), '--one-key']);

/** Sums of the last two hours: the test may run over the full hour. */
async function sums() {
  const { stations } = (await readStatus(data, '/hours?last=2')) as StationHoursReport;
  const total = (values: readonly (number | null)[]) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return Object.fromEntries(
    stations.map(({ id, positions, alone, recorded_s, not_connected_s, clock_error_ms }) => [
      id,
      {
        positions: total(positions),
        alone: total(alone),
        recordedS: total(recorded_s),
        notConnectedS: total(not_connected_s),
        clockErrorMs: clock_error_ms.at(-1),
      },
    ]),
  );
}

test('each of two receivers has what it alone received, its clock, and the time without it, over restarts and a cut file', async () => {
  const first = serve();
  await first.ready;
  const startedS = await eventually(async () => {
    const { narrow } = await sums();
    expect(narrow!.positions).toBeGreaterThan(0);
    return narrow!.notConnectedS;
  });
  await eventually(async () => {
    const { wide, narrow } = await sums();
    expect(wide!.alone).toBeGreaterThan(ALL);
    expect(wide!.positions).toBeGreaterThan(wide!.alone + SHARED);
    // The station is alone only until the first answer of the other.
    expect(narrow!.alone).toBeLessThanOrEqual(SHARED);
    expect(narrow!.positions).toBeGreaterThan(2 * SHARED);
    expect(Math.abs(wide!.clockErrorMs! - 3000)).toBeLessThan(1000);
    expect(narrow!.notConnectedS).toBeLessThanOrEqual(startedS + 1);
  });
  wide.setDown(true);
  await eventually(async () => {
    const { wide, narrow } = await sums();
    expect(wide!.notConnectedS).toBeGreaterThan(2);
    // It is the only one now.
    expect(narrow!.alone).toBeGreaterThan(SHARED);
  });
  const before = await sums();
  first.child.kill('SIGTERM');
  expect((await first.ended).code).toBe(0);

  const second = serve();
  await second.ready;
  const continued = await sums();
  expect(continued.wide!.positions).toBeGreaterThanOrEqual(before.wide!.positions);
  expect(continued.wide!.alone).toBeGreaterThanOrEqual(before.wide!.alone);
  second.child.kill('SIGKILL');
  await second.ended;

  // Two where the test runs over midnight UTC.
  const days = await readdir(join(data, 'stations'));
  expect(days).toContainEqual(expect.stringMatching(/^\d{4}-\d\d-\d\d\.json$/));
  for (const day of days) {
    const file = join(data, 'stations', day);
    const text = await readFile(file, 'utf8');
    expect(text).not.toMatch(/lat|lon|http|127\.0\.0\.1/);
    await writeFile(file, text.slice(0, text.length / 2));
  }
  const third = serve();
  await third.ready;
  await eventually(async () => expect((await sums()).narrow!.positions).toBeGreaterThan(0));
  for (const day of days) expect(third.output.stderr).toContain(`${day} is damaged`);
  expect((await sums()).wide!.positions).toBe(0);
});
