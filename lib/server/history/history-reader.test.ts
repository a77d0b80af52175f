import { afterEach, describe, expect, test } from 'vitest';
import type { EndLine, ProgressLine } from '#lib/api/history-line.ts';
import type { HistoryQuery } from '#lib/api/history-query.ts';
import { addMs, type Instant, instantFromMs } from '#lib/time/instant.ts';
import { fullAccessAccount } from '#service/accounts/full-access-account.ts';
import { listedSource, observation } from '#service/conformance/listed-source.ts';
import type { ServiceOptions } from '#service/server/start-service.ts';
import type { Observation } from '#service/sources/observation.ts';
import { type LiveHarness, startLiveHarness } from '../live/live-harness.fixture.ts';
import { HistoryReader } from './history-reader.ts';
import { historyRecordsOf } from './history-stream.ts';
import { PartCache } from './part-cache.ts';

/** Ten seconds into a minute: the harness's clock. */
const NOW = instantFromMs(Date.UTC(2026, 10, 21, 12, 0, 10));
const HOUR = { start: instantFromMs(Date.UTC(2026, 10, 21, 10)), end: instantFromMs(Date.UTC(2026, 10, 21, 11)) };
const AREA = { west: 8, south: 47, east: 9, north: 48 };

let live: LiveHarness;
let history: HistoryReader;
afterEach(() => live.close());

async function start(observations: readonly Observation[], options: Partial<ServiceOptions> = {}): Promise<void> {
  live = await startLiveHarness({ source: listedSource(observations), ...options });
  history = new HistoryReader({
    client: live.client,
    ledger: live.ledger,
    cache: new PartCache(undefined),
    expectedPerSecond: () => undefined,
    now: live.now,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      live.moveClock(ms);
    },
  });
}

/** Tracks that are observed every ten seconds of the window, in and around the area. */
function tracks(count: number, window = HOUR, everyMs = 10_000): Observation[] {
  const observations: Observation[] = [];
  for (let at: Instant = window.start; at < window.end; at = addMs(at, everyMs)) {
    for (let track = 0; track < count; track++) {
      observations.push(
        observation({ sourceId: `t${track}`, observedAt: addMs(at, track), lon: 8 + (track % 50) / 50, lat: 47.5 }),
      );
    }
  }
  return observations;
}

const query = (change: Partial<HistoryQuery> = {}): HistoryQuery =>
  ({ bbox: AREA, layers: ['adsb'], window: HOUR, wide: undefined, most: undefined, ...change }) as HistoryQuery;

/** Loads to the end. */
async function load(asked: HistoryQuery = query(), signal = new AbortController().signal) {
  const keys = new Map<string, number>();
  let end: EndLine | undefined;
  let progress: ProgressLine | undefined;
  const held: string[] = [];
  for await (const event of history.load(asked, signal)) {
    if (event.kind === 'part') {
      for (const { public_track_id, observed_at } of await historyRecordsOf(event.part)) {
        const key = `${public_track_id} ${observed_at}`;
        keys.set(key, (keys.get(key) ?? 0) + 1);
      }
    } else if (event.line.type === 'end') end = event.line;
    else {
      progress = event.line;
      if (event.line.held) held.push(event.line.held.reason);
    }
  }
  return { keys, held, minutes: progress?.layers.adsb?.minutes ?? '', adsb: end?.layers.adsb, rid: end?.layers.rid };
}

const requests = () => live.service.requests().length;

describe('an hour', () => {
  test('is loaded to its last record, each exactly once', async () => {
    const observations = tracks(40);
    await start(observations);
    const { keys, adsb, minutes } = await load();
    expect(keys.size).toBe(observations.length);
    expect(Math.max(...keys.values())).toBe(1);
    expect(adsb).toMatchObject({ complete: true, gaps: [], records: observations.length });
    expect(adsb?.requests).toBe(requests());
    expect(minutes).toBe('c'.repeat(60));
  });

  test('costs the upstream nothing when it is opened a second time, and says so before', async () => {
    await start(tracks(40));
    const first = await load();
    live.service.clearRequests();
    expect((await history.cost(query())).middle.expected).toBe(0);
    const second = await load();
    expect(requests()).toBe(0);
    expect(second.adsb).toMatchObject({ complete: true, requests: 0, records: first.adsb?.records });
    expect(second.keys.size).toBe(first.keys.size);
  });

  test('two operators who open it at the same moment share every request', async () => {
    await start(tracks(40));
    const [one, other] = await Promise.all([load(), load()]);
    expect((one.adsb?.requests ?? 0) + (other.adsb?.requests ?? 0)).toBe(requests());
    expect(other.keys.size).toBe(one.keys.size);
    const alone = requests();
    await live.close();
    await start(tracks(40));
    await load();
    expect(alone).toBeLessThanOrEqual(requests());
  });

  test('of an empty place is complete and empty, in one request', async () => {
    await start([]);
    const { adsb } = await load();
    expect(adsb).toEqual({ complete: true, gaps: [], records: 0, requests: requests() });
  });
});

describe('what cannot be had', () => {
  test('an instant denser than a page at one second and the smallest place is incomplete there, and nowhere else', async () => {
    const dense = addMs(HOUR.start, 30 * 60_000 + 20_000);
    const crowd = Array.from({ length: 3000 }, (_, index) =>
      observation({ sourceId: `c${index}`, observedAt: dense, lon: 8.5, lat: 47.5 }),
    );
    await start([...tracks(5), ...crowd]);
    const { adsb, minutes } = await load();
    expect(minutes).toBe(`${'c'.repeat(30)}t${'c'.repeat(29)}`);
    expect(adsb?.complete).toBe(false);
    for (const { start: gapStart, end, bbox, reason } of adsb?.gaps ?? []) {
      expect(reason).toBe('too_dense');
      expect(Date.parse(end) - Date.parse(gapStart)).toBeLessThanOrEqual(1000);
      expect(Date.parse(gapStart)).toBeLessThanOrEqual(dense);
      expect(bbox[0]).toBeLessThanOrEqual(8.5);
      expect(bbox[2] - bbox[0]).toBeLessThan(0.1);
    }
    expect(adsb?.gaps.length).toBeGreaterThan(0);
  });

  test('403 for the lookback is met once, and told as that', async () => {
    const account = fullAccessAccount('k'.repeat(40), { perMinute: 600, perDay: 10_000 }, NOW);
    await start([], { accounts: [{ ...account, lookbackDays: 1 }] });
    live.writeKey('k'.repeat(40));
    const old = { start: addMs(HOUR.start, -3 * 86_400_000), end: addMs(HOUR.end, -3 * 86_400_000) };
    const { adsb } = await load(query({ window: old }));
    expect(adsb?.gaps.map(({ reason }) => reason)).toContain('outside_lookback');
    expect(requests()).toBe(1);
    await load(query({ window: old }));
    expect(requests()).toBe(1);
    expect((await load()).adsb?.complete).toBe(true);
  });

  test('a layer without history access is told as that, and the other one is loaded', async () => {
    await start(tracks(5));
    live.service.setFault({ kind: 'status', status: 403, operation: 'history_rid' });
    const { rid, adsb } = await load(query({ layers: ['rid', 'adsb'] }));
    expect(rid?.gaps[0]?.reason).toBe('layer_not_approved');
    expect(adsb?.complete).toBe(true);
  });

  test('a part that fails is tried again twice at most, then marked failed; the rest is there, and again is possible', async () => {
    await start(tracks(40));
    live.service.setFault({ kind: 'status', status: 503 });
    const { adsb, minutes } = await load();
    expect(adsb?.complete).toBe(false);
    expect(adsb?.gaps[0]?.reason).toBe('service_busy');
    expect(minutes).toContain('f');
    expect(requests()).toBeLessThanOrEqual(12);
    live.service.clearFault();
    live.moveClock(120_000);
    expect((await load()).adsb?.complete).toBe(true);
  });
});

describe('the allowance', () => {
  test('a 429 in the middle is waited out, and nothing is lost', async () => {
    const observations = tracks(40);
    await start(observations);
    const loading = history.load(query(), new AbortController().signal)[Symbol.asyncIterator]();
    await loading.next();
    await loading.next();
    live.service.setFault({ kind: 'status', status: 429, retry_after: '30', times: 1 });
    let end: EndLine | undefined;
    const held = new Set<string>();
    for (let step = await loading.next(); !step.done; step = await loading.next()) {
      if (step.value.kind !== 'line') continue;
      if (step.value.line.type === 'end') end = step.value.line;
      else if (step.value.line.held) held.add(step.value.line.held.reason);
    }
    expect(held).toEqual(new Set(['allowance_used_up']));
    expect(end?.layers.adsb).toMatchObject({ complete: true, records: observations.length });
  });

  test('no more requests are made than were told; the rest is called not asked for', async () => {
    await start(tracks(200));
    const { adsb, minutes } = await load(query({ most: 5 }));
    expect(requests()).toBe(5);
    expect(adsb?.gaps.every(({ reason }) => reason === 'not_asked')).toBe(true);
    expect(minutes).toMatch(/n/);
  });

  test('a closed page stops its load: nothing more is asked', async () => {
    await start(tracks(200));
    const closed = new AbortController();
    const events = history.load(query(), closed.signal)[Symbol.asyncIterator]();
    for (let step = 0; step < 6; step++) await events.next();
    closed.abort();
    await expect(
      (async () => {
        while (!(await events.next()).done);
      })(),
    ).rejects.toThrow();
    const asked = requests();
    await live.read();
    expect(live.countOf('history_adsb')).toBeLessThanOrEqual(asked);
  });
});

describe('windows and areas', () => {
  test('a window that touches now is loaded up to now, and not kept: what is still to come would be missing', async () => {
    const window = { start: addMs(NOW, -600_000), end: addMs(NOW, 600_000) };
    await start(tracks(5, { start: window.start, end: NOW }));
    const first = await load(query({ window }));
    expect(first.adsb?.complete).toBe(true);
    live.service.clearRequests();
    live.moveClock(60_000);
    await load(query({ window }));
    expect(requests()).toBeGreaterThan(0);
  });

  test('an area across 180° is loaded in two boxes, and is whole', async () => {
    const observations = [179.9, -179.9].map((lon, index) =>
      observation({ sourceId: `${index}`, observedAt: addMs(HOUR.start, 1000), lon, lat: -17 }),
    );
    await start(observations);
    const { keys, adsb } = await load(query({ bbox: { west: 179, south: -18, east: -179, north: -16 } }));
    expect(keys.size).toBe(2);
    expect(adsb?.complete).toBe(true);
  });

  test('a wide area is loaded as its middle or in tiles, and refused where that is not said', async () => {
    await start(tracks(5));
    const bbox = { west: 2, south: 44, east: 14, north: 51 };
    await expect(load(query({ bbox }))).rejects.toThrow(/wide=middle/);
    const cost = await history.cost(query({ bbox }));
    expect(cost).toMatchObject({ wide: true, middle: { boxes: [[5.5, 45, 10.5, 50]] } });
    expect(cost.tiles?.boxes.length).toBe(9);
    expect((await load(query({ bbox, wide: 'middle' }))).keys.size).toBe(1800);
    expect((await load(query({ bbox, wide: 'tiles' }))).keys.size).toBe(1800);
  });

  test('more than an hour, the future, and what lies beyond any history are refused', async () => {
    await start([]);
    await expect(async () => load(query({ window: { ...HOUR, end: addMs(HOUR.end, 1) } }))).rejects.toThrow(/one hour/);
    const future = { start: addMs(NOW, 60_000), end: addMs(NOW, 120_000) };
    await expect(async () => load(query({ window: future }))).rejects.toThrow(/not begun/);
    const old = { start: addMs(NOW, -31 * 86_400_000), end: addMs(NOW, -31 * 86_400_000 + 1000) };
    await expect(async () => load(query({ window: old }))).rejects.toThrow(/30 days/);
    expect(requests()).toBe(0);
  });
});
