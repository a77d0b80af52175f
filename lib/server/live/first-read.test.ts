import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compactHeadSchema, formatSince, parseSince, type Since } from '#lib/api/compact-answer.ts';
import type { LiveLayer } from '#lib/api/live-answer.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Source } from '#service/sources/observation.ts';
import { type LiveHarness, startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';

const PAGES = 4;
const VIEW: Bbox = { west: 8, south: 47, east: 9, north: 49 };

let live: LiveHarness;
let tracks: Source;
beforeEach(async () => {
  tracks = steadyTraffic(PAGES * 1000);
  const source: Source = { live: (...where) => tracks.live(...where), history: (...where) => tracks.history(...where) };
  live = await startLiveHarness({ source });
  holdPages();
});
afterEach(() => live.close());

async function adsb(view = VIEW, page = 'only'): Promise<LiveLayer & { readonly nextPollMs: number }> {
  const { layers, next_poll_ms } = await live.reader.read({ operator: 'local', session: undefined, page }, view, [
    'adsb',
  ]);
  if (!layers.adsb) throw new Error('the requested layer is missing');
  return { ...layers.adsb, nextPollMs: next_poll_ms };
}

/** Answers what was held, and holds what is requested from now on. */
const holdPages = () => live.service.setFault({ kind: 'hold' });

/** Resolves when that many pages were requested; all before the last one have arrived. */
const requested = (pages: number) =>
  expect.poll(() => live.countOf('live_adsb'), { interval: 5 }).toBeGreaterThanOrEqual(pages);

/** Lets that page arrive, which the next request shows. */
async function arrives(page: number): Promise<void> {
  await requested(page);
  holdPages();
  await requested(page + 1);
}

/** The first view of a place waits for its first page. */
async function firstView(view = VIEW) {
  const [layer] = await Promise.all([adsb(view), arrives(1)]);
  return layer;
}

/** Lets all pages arrive. */
async function ends(): Promise<void> {
  live.service.clearFault();
  await live.scheduler.idle();
}

describe('the first read of a place with many pages', () => {
  test('keeps no page waiting whose own place is known already', async () => {
    await firstView();
    await ends();
    holdPages();
    const answered: string[] = [];
    const wide = adsb({ west: 6, south: 46, east: 11, north: 50 }, 'wide').then(() => answered.push('wide'));
    await expect.poll(() => live.countOf('live_adsb'), { interval: 5 }).toBeGreaterThan(PAGES);
    const own = await adsb();
    answered.push('own');
    expect(own.records.length).toBeGreaterThan(0);
    await Promise.all([wide, ends()]);
    expect(answered).toEqual(['own', 'wide']);
  });

  test('shows each page as soon as it arrives, marked as pending, and polls again soon', async () => {
    const seen: number[] = [];
    for (let page = 1; page < PAGES; page++) {
      if (page > 1) await arrives(page);
      const { state, partial, reason, gaps, fetched_at, nextPollMs, records } = await (page === 1
        ? firstView()
        : adsb());
      expect([state, partial, reason, nextPollMs]).toEqual(['fresh', true, 'pages_pending', 1000]);
      expect(gaps).toEqual([{ bbox: [8, 47, 9, 49], reason: 'pages_pending' }]);
      expect(fetched_at).toBe('2026-11-21T12:00:10.000Z');
      seen.push(records.length);
    }
    expect(seen).toEqual([1000, 2000, 3000]);
    await ends();
    const { state, partial, reason, records } = await adsb();
    expect([state, partial, reason, records.length]).toEqual(['fresh', false, null, PAGES * 1000]);
    expect(live.countOf('live_adsb')).toBe(PAGES);
  });

  test('delays its viewer by the first page alone', async () => {
    expect((await firstView()).records).toHaveLength(1000);
    expect(live.scheduler.jobs[0]?.running).toBeDefined();
  });

  test('sends each poll what came since, and everything in the end', async () => {
    let since: Since = new Map();
    const poll = async () => {
      const answer = Buffer.from(
        await live.reader.readCompact({ operator: 'local', session: undefined, page: 'only' }, VIEW, ['adsb'], since),
      );
      const { layers } = compactHeadSchema.parse(JSON.parse(answer.toString('utf8', 4, 4 + answer.readUInt32BE(0))));
      const [part] = layers.adsb?.parts ?? [];
      if (!part) throw new Error('the answer has no part');
      since = parseSince(formatSince(new Map([[part.area, part.sequence]]))) ?? new Map();
      return part;
    };
    const [first] = await Promise.all([poll(), arrives(1)]);
    const parts = [first];
    for (let page = 2; page < PAGES; page++) {
      await arrives(page);
      parts.push(await poll());
    }
    await ends();
    parts.push(await poll());
    expect(parts.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(parts.map(({ deltas, bodies }) => [deltas, bodies.length])).toEqual([
      [false, 1],
      [true, 1],
      [true, 1],
      [true, 1],
    ]);
    expect((await poll()).bodies).toEqual([]);
  });

  test('is not reported as empty while no record of a view has arrived', async () => {
    await firstView();
    const corner = { west: 8, south: 48.6, east: 8.1, north: 48.9 };
    const early = await adsb(corner, 'another');
    expect([early.state, early.partial, early.fetched_at, early.records]).toEqual(['waiting', false, null, []]);
    expect(early.gaps.map((gap) => gap.reason)).toEqual(['not_read_yet']);
    await ends();
    const { state, partial, gaps, records } = await adsb(corner, 'another');
    expect([state, partial, gaps, records]).toEqual(['fresh', false, [], []]);
    expect(live.countOf('live_adsb')).toBe(PAGES);
  });

  test('is reported as interrupted where it ends before its last page', async () => {
    live.service.setFault({ kind: 'fail_after_page' });
    await adsb();
    await live.scheduler.idle();
    const { state, partial, reason, gaps, records } = await adsb();
    expect([state, partial, reason, records.length]).toEqual(['stale', true, 'service_busy', 1000]);
    expect(gaps.map((gap) => gap.reason)).toEqual(['pages_interrupted']);
  });

  test('continues from an interrupted read, and never shows fewer records', async () => {
    live.service.setFault({ kind: 'fail_after_page' });
    await adsb();
    await live.scheduler.idle();
    holdPages();
    live.service.clearRequests();
    live.moveClock(5000);
    await live.scheduler.tick();
    const seen: number[] = [];
    await requested(1);
    for (let page = 1; page <= PAGES; page++) {
      if (page > 1) await arrives(page - 1);
      const { partial, records, fetched_at } = await adsb();
      expect([partial, fetched_at]).toEqual([true, '2026-11-21T12:00:10.000Z']);
      seen.push(records.length);
    }
    expect(seen).toEqual([1000, 1000, 2000, 3000]);
    await ends();
    expect(await adsb()).toMatchObject({ partial: false, reason: null, fetched_at: '2026-11-21T12:00:15.000Z' });
  });
});

describe('a place that was read before', () => {
  test('is replaced as a whole, so that nothing vanishes and comes back while pages are read', async () => {
    await firstView();
    await ends();
    live.moveClock(5000);
    live.service.clearRequests();
    holdPages();
    // Half are gone, and none keeps its place on a page.
    tracks = steadyTraffic((PAGES * 1000) / 2);
    await live.scheduler.tick();
    await arrives(1);
    const meanwhile = await adsb();
    expect([meanwhile.state, meanwhile.partial, meanwhile.records.length]).toEqual(['fresh', false, PAGES * 1000]);
    await ends();
    expect((await adsb()).records).toHaveLength((PAGES * 1000) / 2);
  });

  test('stays unchanged while a larger area around it is read for the first time', async () => {
    const [few, many] = [steadyTraffic(50), steadyTraffic(PAGES * 1000, { lon: 6.2, lat: 45.2 })];
    const others = (...where: Parameters<Source['live']>) =>
      many.live(...where).map((track) => ({ ...track, sourceId: `other ${track.sourceId}` }));
    tracks = { ...few, live: (...where) => [...few.live(...where), ...others(...where)] };
    const known = { west: 8, south: 47, east: 9, north: 48 };
    live.service.clearFault();
    await adsb(known);
    await live.scheduler.idle();
    live.service.clearRequests();
    holdPages();
    const around = { west: 6, south: 45, east: 11, north: 51 };
    for (let page = 1; page < PAGES; page++) {
      if (page > 1) await arrives(page);
      const { partial, gaps, records } = await (page === 1 ? firstView(around) : adsb(around));
      expect(partial).toBe(true);
      expect(records.filter(({ longitude }) => longitude > 8)).toHaveLength(50);
      expect(
        gaps.filter(({ bbox: [west, south, east, north] }) => west < 9 && east > 8 && south < 48 && north > 47),
      ).toEqual([]);
    }
    await ends();
    const whole = await adsb(around);
    expect([whole.partial, whole.records.length, live.countOf('live_adsb')]).toEqual([
      false,
      PAGES * 1000 + 50,
      PAGES + 1,
    ]);
  });
});
