import { afterEach, expect, test } from 'vitest';
import { LAYERS } from '#lib/model/position.ts';
import { addMs } from '#lib/time/instant.ts';
import { type LiveHarness, type LiveHarnessOptions, startLiveHarness } from '#testing/live-harness.ts';
import { NoAllowance } from '../allowance/no-allowance.ts';
import { StoredLedger } from '../allowance/stored-ledger.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { ONLY_SERVER } from '../database/writer-lease.ts';
import { AreaReads } from '../live/area-reads.ts';
import { AreaSnapshots } from '../live/area-snapshots.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { OverviewAnswers } from './overview-answers.ts';
import { OverviewStore } from './overview-store.ts';
import { OverviewTally } from './overview-tally.ts';

const BOX = { west: 8.4, south: 47.4, east: 8.6, north: 47.6 };
const MINUTES = 10;
let live: LiveHarness;
afterEach(() => live.close());

/** The hour of a zone that the service is read for, without viewers. */
async function tenMinutes(options: LiveHarnessOptions, reads: AreaReads) {
  live = await startLiveHarness(options);
  const store = new OverviewStore(await memoryDatabase());
  const now = () => live.client.clock.now();
  const tally = new OverviewTally({ store, lease: ONLY_SERVER, reads, now, part: strictSupervisor().part('overview') });
  await tally.write();
  live.scheduler.watch(LAYERS.map((layer) => ({ layer, bbox: BOX })));
  const start = now();
  for (let second = 0; second < MINUTES * 60; second++) {
    live.moveClock(1000);
    live.scheduler.changed('rid');
    await live.scheduler.tick();
    await live.scheduler.idle();
  }
  await tally.close();
  const answers = new OverviewAnswers(store, now);
  const { layers } = await answers.hours({ start, end: addMs(start, 1000) }, BOX);
  return { hour: layers[0]?.hours[0], read: live.countOf('live_rid') };
}

test('the embedded service is read at every change: all time is watched, and each position counts once', async () => {
  const reads = new AreaReads();
  const stores = { ledger: new NoAllowance(), snapshots: new AreaSnapshots(), reads };
  const { hour, read } = await tenMinutes({ stores, isCounted: false }, reads);
  expect(read).toBeGreaterThan(MINUTES * 60 - 10);
  expect(hour).toMatchObject({ positions: 3 * read, references: 3, partly_s: 0 });
  expect(hour?.watched_s).toBeGreaterThan(MINUTES * 60 - 10);
});

test('a small allowance leaves most of the time partly watched', async () => {
  const reads = new AreaReads();
  const stores = { ledger: StoredLedger.inMemory(), snapshots: new AreaSnapshots(), reads };
  const { hour, read } = await tenMinutes({ stores, allowance: { perMinute: 60, perDay: 5000 } }, reads);
  expect(hour).toMatchObject({ positions: 3 * read, references: 3 });
  expect(hour?.partly_s).toBeGreaterThan(MINUTES * 30);
});
