import { afterEach, beforeEach, expect, test } from 'vitest';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { NoAllowance } from '#lib/server/allowance/no-allowance.ts';
import { AreaReads } from '#lib/server/live/area-reads.ts';
import { AreaSnapshots } from '#lib/server/live/area-snapshots.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';
import { UNPACED } from './pace/refresh-pace.ts';

const VIEW = { west: 8, south: 47, east: 9, north: 48 };
const VIEWER = { operator: 'local', session: undefined, page: 'only' };

let live: LiveHarness;
beforeEach(async () => {
  const stores = {
    ledger: new NoAllowance(),
    snapshots: new AreaSnapshots(),
    reads: new AreaReads(),
  };
  live = await startLiveHarness({ stores, isCounted: false });
});
afterEach(() => live.close());

async function passes(ms: number): Promise<void> {
  live.moveClock(ms);
  await live.scheduler.tick();
  await live.scheduler.idle();
}

test('a planned area is read once for each change, far beyond what an allowance would permit', async () => {
  await live.read();
  for (let change = 0; change < 300; change++) {
    if (change % 30 === 0) await live.reader.read(VIEWER, VIEW, ['adsb', 'rid']);
    live.scheduler.changed('adsb');
    await passes(1000);
  }
  expect(live.countOf('live_adsb')).toBe(301);
});

test('without a change an area is read every few seconds, which shows that the service answers', async () => {
  await live.read();
  for (let second = 0; second < 20; second++) await passes(1000);
  expect(live.countOf('live_rid')).toBe(1 + (20 * 1000) / UNPACED.unchangedMs);
});

test('changes that follow each other quickly are read together', async () => {
  await live.read();
  for (let change = 0; change < 100; change++) {
    live.scheduler.changed('adsb');
    await passes(50);
  }
  expect(live.countOf('live_adsb')).toBe(1 + 5000 / UNPACED.changedMs);
});

test('an area without viewers is not read, whatever changes', async () => {
  await live.read();
  live.moveClock(61_000);
  await live.scheduler.tick();
  await live.scheduler.idle();
  const before = live.service.requests().length;
  for (let change = 0; change < 10; change++) {
    live.scheduler.changed('adsb');
    await passes(1000);
  }
  expect(live.service.requests()).toHaveLength(before);
});

test('every new place is read at once', async () => {
  for (let page = 0; page < 30; page++) {
    const view = { west: page, south: 10, east: page + 0.5, north: 10.5 };
    const { layers } = await live.read(view, ['adsb'], { operator: 'local', session: undefined, page: `${page}` });
    expect(layers.adsb?.state).toBe('fresh');
  }
});

test('the status says that there is no allowance, and no number', async () => {
  await live.read();
  const status = statusAnswerSchema.parse(await live.status.read());
  expect(status).toMatchObject({
    has_allowance: false,
    minute: { remaining: null, size: null },
    day: { remaining: null, size: null },
    pace_per_minute: null,
  });
  expect(status.areas.map(({ interval_ms, reason }) => [interval_ms, reason])).toEqual([
    [null, 'unchanged'],
    [null, 'unchanged'],
  ]);
});
