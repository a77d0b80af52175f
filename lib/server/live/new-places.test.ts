import { afterEach, describe, expect, test } from 'vitest';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { observation } from '#service/conformance/listed-source.ts';
import type { Source } from '#service/sources/observation.ts';
import { shareAccount } from '#testing/greedy-operator.ts';
import { type LiveHarness, type LiveHarnessOptions, startLiveHarness } from '#testing/live-harness.ts';

let live: LiveHarness | undefined;
afterEach(async () => {
  await live?.close();
  live = undefined;
});

const ALLOWANCE = { perMinute: 120, perDay: 20_000 };
const POLLS = 150;

const start = (options: LiveHarnessOptions = {}) => startLiveHarness({ allowance: ALLOWANCE, ...options });

/** So far apart that no request covers two of them. */
const place = (index: number): Bbox => {
  const [west, south] = [-175 + 35 * (index % 10), -75 + 35 * (Math.floor(index / 10) % 4) + Math.floor(index / 40)];
  return { west, south, east: west + 1, north: south + 0.5 };
};
const page = (operator: string, name: string | number) => ({ operator, session: operator, page: `${name}` });

async function openMany({ reader }: LiveHarness, operator = 'greedy', polls = POLLS) {
  return Promise.all(
    Array.from({ length: polls }, (_, index) => reader.read(page(operator, index), place(index), ['rid', 'adsb'])),
  );
}

describe('an operator who opens new places as fast as possible', () => {
  test('spends what the share allows, and gets an estimate of when the others are read', async () => {
    live = await start();
    const answers = [...(await openMany(live)), ...(await openMany(live))];
    await live.scheduler.idle();
    // Half of the minute's rest, at most.
    expect(live.service.requests().length).toBeLessThanOrEqual((120 - 6) / 2);
    const waiting = answers.flatMap(({ layers, as_of, next_poll_ms }) =>
      layers.adsb?.reason === 'waits_its_turn' ? [{ ...layers.adsb, as_of, next_poll_ms }] : [],
    );
    expect(waiting.length).toBeGreaterThan(POLLS);
    const { areas } = await live.status.read();
    const unread = areas.filter(({ fetched_at }) => fetched_at === null);
    expect(unread.length).toBeGreaterThan(0);
    for (const { reason, interval_ms } of unread) expect([reason, interval_ms]).toEqual(['waits_its_turn', null]);
    for (const { state, gaps, records, partial } of waiting) {
      expect([state, partial, records]).toEqual(['waiting', false, []]);
      expect(gaps.map(({ reason }) => reason)).toEqual(['waits_its_turn']);
    }
    // Later pages replaced the others.
    const announced = waiting.filter(({ until }) => until !== null);
    expect(announced.length).toBeGreaterThanOrEqual(10);
    for (const { until, as_of } of announced) expect(Date.parse(until ?? '')).toBeGreaterThan(Date.parse(as_of));
  });

  test('has each place read by the time that was estimated', async () => {
    live = await start();
    await openMany(live, 'greedy', 40);
    await live.scheduler.idle();
    const announced = new Map<number, number>();
    for (let second = 0; second < 5 * 60; second += 2) {
      await live.scheduler.tick();
      await live.scheduler.idle();
      // A session has 32 pages.
      for (let index = 10; index < 40; index++) {
        const { layers, as_of } = await live.reader.read(page('greedy', index), place(index), ['rid', 'adsb']);
        const until = layers.adsb?.reason === 'waits_its_turn' ? Date.parse(layers.adsb.until ?? '') : undefined;
        if (until === undefined) continue;
        const before = announced.get(index);
        // Each turn is rounded up to a millisecond.
        if (before !== undefined) expect(until - before).toBeLessThanOrEqual(50);
        expect(until).toBeGreaterThan(Date.parse(as_of));
        announced.set(index, until);
      }
      live.moveClock(2000);
    }
    expect(announced.size).toBeGreaterThan(5);
  });

  test('delays no other operator: their new places are read at once', async () => {
    live = await start();
    await openMany(live);
    for (const operator of ['a', 'b', 'c', 'd']) {
      const view = { west: 8, south: 47, east: 9, north: 48 };
      const moved = { ...view, west: view.west - operator.charCodeAt(0), east: view.east - operator.charCodeAt(0) };
      const { layers } = await live.reader.read(page(operator, 'map'), moved, ['rid', 'adsb']);
      expect([layers.rid?.state, layers.adsb?.state]).toEqual(['fresh', 'fresh']);
    }
  });

  test('sees at once what others look at, and what others open', async () => {
    live = await start();
    const [viewed, opened] = [place(41), place(42)];
    await live.reader.read(page('other', 'one'), viewed, ['adsb']);
    await openMany(live);
    await live.scheduler.idle();
    live.service.clearRequests();
    const seen = await live.reader.read(page('greedy', 'viewed'), viewed, ['adsb']);
    expect([seen.layers.adsb?.state, seen.layers.adsb?.reason]).toEqual(['fresh', null]);
    const awaited = () => live?.reader.read(page('greedy', 'opened'), opened, ['adsb']);
    expect((await awaited())?.layers.adsb?.reason).toBe('waits_its_turn');
    await live.reader.read(page('other', 'two'), opened, ['adsb']);
    expect((await awaited())?.layers.adsb).toMatchObject({ state: 'fresh', reason: null });
    expect(live.countOf('live_adsb')).toBe(1);
  });

  test('gets the known part of a place that has to wait', async () => {
    live = await start();
    const known = { west: 8, south: 47, east: 9, north: 48 };
    await live.reader.read(page('greedy', 'map'), known, ['adsb']);
    await openMany(live);
    await live.scheduler.idle();
    const { layers } = await live.reader.read(page('greedy', 'map'), { ...known, east: 12 }, ['adsb']);
    expect(layers.adsb).toMatchObject({ state: 'fresh', partial: true, reason: 'waits_its_turn' });
    expect(layers.adsb?.records).toHaveLength(3);
    expect(layers.adsb?.gaps.map(({ reason }) => reason)).toEqual(expect.arrayContaining(['waits_its_turn']));
  });

  test('gains nothing from more sessions, or by coming back', async () => {
    live = await start();
    await openMany(live);
    await live.scheduler.idle();
    const spent = live.service.requests().length;
    for (let session = 0; session < 20; session++) {
      const viewer = { operator: 'greedy', session: `another ${session}`, page: 'map' };
      await live.reader.read(viewer, place(60 + session), ['rid', 'adsb']);
    }
    await live.scheduler.idle();
    expect(live.service.requests()).toHaveLength(spent);
  });
});

/** A refresh of the area costs five requests. */
const DENSE: Bbox = { west: 0, south: 40, east: 10, north: 50 };

function denseTraffic(): Source {
  const tracks = (now: UpstreamInstant) =>
    Array.from({ length: 4500 }, (_, index) =>
      observation({
        sourceId: `adsb-${index}`,
        layer: 'adsb',
        observedAt: addMs(now, -1000),
        lon: DENSE.west + ((index % 60) + 0.5) / 6,
        lat: DENSE.south + (Math.floor(index / 60) + 0.5) / 7.5,
      }),
    );
  return {
    live: (layer, bbox, now) =>
      layer === 'adsb' ? tracks(now).filter(({ lon, lat }) => bboxContains(bbox, lon, lat)) : [],
    history: () => ({ observations: [], more: false }),
  };
}

describe('a dense place that waits for its turn', () => {
  test('is not paid by an operator of a neighbouring place that needs only one request', async () => {
    live = await start({ source: denseTraffic() });
    await live.read(DENSE, ['adsb'], page('earlier', 'map'));
    await live.read(DENSE, ['adsb'], page('earlier', 'map'));
    live.moveClock(5 * MINUTE_MS);
    await openMany(live);
    await live.scheduler.idle();
    expect((await live.reader.read(page('greedy', 'dense'), DENSE, ['adsb'])).layers.adsb?.reason).toBe(
      'waits_its_turn',
    );

    live.service.clearRequests();
    const beside: Bbox = { west: 9.5, south: 40, east: 10.5, north: 50 };
    const { layers } = await live.reader.read(page('other', 'map'), beside, ['adsb']);
    await live.scheduler.idle();
    expect(layers.adsb).toMatchObject({ state: 'fresh', reason: null });
    expect(live.countOf('live_adsb')).toBe(1);
    const waiting = await live.reader.read(page('greedy', 'dense'), DENSE, ['adsb']);
    expect(waiting.layers.adsb?.reason).toBe('waits_its_turn');
  });
});

describe('five operators share an account', () => {
  const looking = { others: 4, stepMs: 2000, durationMs: 4 * MINUTE_MS, othersMoveEveryMs: 2 * MINUTE_MS };

  test('of whom one opens new places all the time, and keeps 32 of them: the others hardly notice', async () => {
    const sharing = { allowance: ALLOWANCE, ...looking };
    const alone = await shareAccount({ ...sharing, opened: 0 });
    const shared = await shareAccount({ ...sharing, opened: 3, kept: 32 });
    expect(shared.othersAgeMs / alone.othersAgeMs).toBeLessThanOrEqual(1.3);
    expect(shared).toMatchObject({ othersDelayed: 0, limitedAfterMs: undefined, refused: 0 });
    // Estimates move a little with the shares.
    expect(shared.announcedWrongly).toBeLessThanOrEqual(0.01 * shared.openedWaiting);
    expect(shared.openedWaiting).toBeGreaterThan(100);
  });

  test('with 300 requests a day, which last until midnight although one of them pans all day', async () => {
    const halfDayMs = 12 * 60 * MINUTE_MS - 20_000;
    const allowance = { perMinute: 60, perDay: 300 };
    const sharing = { allowance, others: 4, stepMs: 50_000, durationMs: halfDayMs, othersMoveEveryMs: 120 * MINUTE_MS };
    const shared = await shareAccount({ ...sharing, opened: 1 });
    expect(shared).toMatchObject({ othersDelayed: 0, refused: 0 });
    expect(shared.limitedAfterMs ?? halfDayMs).toBeGreaterThan(halfDayMs - 5 * MINUTE_MS);
    expect(shared.requests).toBeGreaterThan(0.9 * 300);
  });
});
