import { getEventListeners } from 'node:events';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { EndLine } from '#lib/api/history-line.ts';
import { addMs, epochMs, msBetween, upstreamInstant } from '#lib/time/instant.ts';
import { observation } from '#service/conformance/listed-source.ts';
import { fullAccessAccount, type ServiceOptions } from '#service/server/start-service.ts';
import type { Observation } from '#service/sources/observation.ts';
import {
  type HistoryHarness,
  HOUR,
  historyQuery,
  loadAll,
  startHistoryHarness,
  tracks,
} from '#testing/history-harness.ts';
import { sleep } from '../machine.ts';
import { PartCache } from './parts/part-cache.ts';

const NOW = upstreamInstant(Date.UTC(2026, 10, 21, 12, 0, 10));

let history: HistoryHarness;
afterEach(() => history.live.close());

async function start(observations: readonly Observation[], options: Partial<ServiceOptions> = {}): Promise<void> {
  history = await startHistoryHarness(observations, options);
}

describe('an hour', () => {
  test('is loaded completely, each record exactly once', async () => {
    const observations = tracks(10);
    await start(observations);
    const { keys, adsb, minutes } = await loadAll(history.reader);
    expect(keys.size).toBe(observations.length);
    expect(Math.max(...keys.values())).toBe(1);
    expect(adsb).toMatchObject({ complete: true, gaps: [], records: observations.length });
    expect(adsb?.requests).toBe(history.requests());
    expect(minutes).toBe('c'.repeat(60));
  });

  test('costs no request when opened a second time, as quoted before', async () => {
    await start(tracks(10));
    const first = await loadAll(history.reader);
    history.live.service.clearRequests();
    expect((await history.reader.cost(historyQuery(), 'alice')).middle.expected).toBe(0);
    const second = await loadAll(history.reader);
    expect(history.requests()).toBe(0);
    expect(second.adsb).toMatchObject({ complete: true, requests: 0, records: first.adsb?.records });
    expect(second.keys.size).toBe(first.keys.size);
  });

  test('shares every request between two operators who open it at the same time', async () => {
    await start(tracks(10));
    const [one, other] = await Promise.all([loadAll(history.reader), loadAll(history.reader)]);
    expect((one.adsb?.requests ?? 0) + (other.adsb?.requests ?? 0)).toBe(history.requests());
    expect(other.keys.size).toBe(one.keys.size);
    const alone = history.requests();
    await history.live.close();
    await start(tracks(10));
    await loadAll(history.reader);
    expect(alone).toBeLessThanOrEqual(history.requests());
  });

  test('of an empty place is complete and empty, in one request', async () => {
    await start([]);
    const { adsb } = await loadAll(history.reader);
    expect(adsb).toEqual({ complete: true, gaps: [], records: 0, requests: history.requests() });
  });
});

describe('a day', () => {
  const DAY = { start: addMs(HOUR.end, -86_400_000), end: HOUR.end };

  test('is priced whole, loaded hour by hour, and shares its hours with other windows', async () => {
    const observations = tracks(5);
    await start(observations);
    const [{ middle }, hour] = (await Promise.all(
      [DAY, HOUR].map((window) => history.reader.cost(historyQuery({ window }), 'alice')),
    )) as [HistoryCost, HistoryCost];
    expect(middle.expected).toBe(24 * hour.middle.expected);
    expect(middle.max_requests).toBeGreaterThanOrEqual(24 * 8);
    const { keys, adsb, minutes } = await loadAll(history.reader, historyQuery({ window: DAY }));
    expect([keys.size, Math.max(...keys.values())]).toEqual([observations.length, 1]);
    expect(minutes).toBe('c'.repeat(24 * 60));
    expect(adsb).toMatchObject({ complete: true, requests: history.requests() });
    for (const window of [DAY, HOUR, { start: addMs(HOUR.start, -7_200_000), end: HOUR.start }])
      expect((await history.reader.cost(historyQuery({ window }), 'alice')).middle.expected).toBe(0);
  });

  test('keeps to what was accepted, says which hours were not requested, and goes on from there', async () => {
    await start(tracks(5));
    const whole = await history.reader.cost(historyQuery({ window: DAY }), 'alice');
    const query = historyQuery({ window: DAY, maxRequests: 10, from: addMs(DAY.start, 12 * 3_600_000) });
    const { adsb, minutes } = await loadAll(history.reader, query);
    expect(adsb?.requests).toBeLessThanOrEqual(10);
    expect(minutes).toMatch(/^n+c+n+$/);
    expect(new Set(adsb?.gaps.map(({ reason }) => reason))).toEqual(new Set(['not_requested']));
    const rest = await history.reader.cost(historyQuery({ window: DAY }), 'alice');
    expect(rest.middle.expected).toBeLessThan(whole.middle.expected);
    expect((await loadAll(history.reader, historyQuery({ window: DAY }))).minutes).toBe('c'.repeat(24 * 60));
  });

  test('of a wide area is loaded as its centre: tiles are for an hour', async () => {
    await start([]);
    const wide = { window: DAY, bbox: { west: 2, south: 44, east: 14, north: 51 } };
    expect(await history.reader.cost(historyQuery(wide), 'alice')).toMatchObject({ wide: true, tiles: null });
    await expect(async () => loadAll(history.reader, historyQuery({ ...wide, wide: 'tiles' }))).rejects.toThrow(/hour/);
  });
});

describe('what cannot be loaded', () => {
  test('a second with more than a page in the smallest box is incomplete there, and nowhere else', async () => {
    const dense = addMs(HOUR.start, 30 * 60_000 + 20_000);
    const crowd = Array.from({ length: 3000 }, (_, index) =>
      observation({ sourceId: `c${index}`, observedAt: dense, lon: 8.5, lat: 47.5 }),
    );
    await start([...tracks(5), ...crowd]);
    const { adsb, minutes } = await loadAll(history.reader);
    expect(minutes).toBe(`${'c'.repeat(30)}t${'c'.repeat(29)}`);
    expect(adsb?.complete).toBe(false);
    for (const { start: gapStart, end, bbox, reason } of adsb?.gaps ?? []) {
      expect(reason).toBe('too_dense');
      expect(Date.parse(end) - Date.parse(gapStart)).toBeLessThanOrEqual(1000);
      expect(Date.parse(gapStart)).toBeLessThanOrEqual(epochMs(dense));
      expect(bbox[0]).toBeLessThanOrEqual(8.5);
      expect(bbox[2] - bbox[0]).toBeLessThan(0.1);
    }
    expect(adsb?.gaps.length).toBeGreaterThan(0);
  });

  test('a load goes outwards from an instant, in every layer, and a seek moves that while it runs', async () => {
    await start(tracks(10));
    const from = addMs(HOUR.start, 30 * 60_000);
    const signal = new AbortController().signal;
    const events = history.reader.load(historyQuery({ layers: ['rid', 'adsb'], from, load: 'one' }), 'alice', signal);
    const later = addMs(HOUR.start, 55 * 60_000);
    const parts: { layer: string; startMs: number }[] = [];
    for await (const event of events) {
      if (event.kind !== 'part') continue;
      parts.push({ layer: event.part.layer, startMs: epochMs(event.part.window.start) });
      if (parts.length === 3) expect(await history.reader.seek('alice', 'one', later)).toBe(true);
    }
    const startsOf = (layer: string) => parts.filter((part) => part.layer === layer).map(({ startMs }) => startMs);
    expect(startsOf('adsb')[0]).toBe(epochMs(from));
    expect(startsOf('adsb').slice(1, 5)).toContain(epochMs(later));
    expect(startsOf('rid').length).toBeGreaterThan(0);
    expect(await history.reader.seek('alice', 'one', from), 'it has ended').toBe(false);
    expect((await loadAll(history.reader, historyQuery({ layers: ['rid', 'adsb'] }))).adsb?.requests).toBe(0);
  });

  test('a 403 for the lookback costs one request, and is reported as such', async () => {
    const account = fullAccessAccount('k'.repeat(40), { perMinute: 600, perDay: 10_000 }, NOW);
    await start([], { accounts: [{ ...account, lookbackDays: 1 }] });
    history.live.writeKey('k'.repeat(40));
    const old = { start: addMs(HOUR.start, -3 * 86_400_000), end: addMs(HOUR.end, -3 * 86_400_000) };
    const { adsb } = await loadAll(history.reader, historyQuery({ window: old }));
    expect(adsb?.gaps.map(({ reason }) => reason)).toContain('outside_lookback');
    expect(history.requests()).toBe(1);
    await loadAll(history.reader, historyQuery({ window: old }));
    expect(history.requests()).toBe(1);
    expect((await loadAll(history.reader)).adsb?.complete).toBe(true);
  });

  test('a layer without history access is reported as such, and the other one is loaded', async () => {
    await start(tracks(5));
    history.live.service.setFault({ kind: 'status', status: 403, operation: 'history_rid' });
    const { rid, adsb } = await loadAll(history.reader, historyQuery({ layers: ['rid', 'adsb'] }));
    expect(rid?.gaps[0]?.reason).toBe('layer_not_approved');
    expect(adsb?.complete).toBe(true);
  });
});

describe('a part for which the service stays busy', () => {
  const busy = (times?: number) => {
    history.live.service.setFault({ kind: 'status', status: 503, operation: 'history_adsb', ...(times && { times }) });
  };

  test('is tried twice more, then in two smaller windows; if those succeed, nothing is missing', async () => {
    const observations = tracks(10);
    await start(observations);
    busy(3);
    const { keys, adsb } = await loadAll(history.reader);
    const [first, again, last, one, other] = history.requestedWindows();
    expect([again, last]).toEqual([first, first]);
    expect([one?.[0], other?.[1]]).toEqual(first);
    expect(one?.[1]).toBe(other?.[0]);
    expect(adsb).toMatchObject({ complete: true, records: observations.length, requests: history.requests() });
    expect([keys.size, Math.max(...keys.values())]).toEqual([observations.length, 1]);
  });

  test('is marked failed where those fail too, and the rest is loaded; loading again requests only that part', async () => {
    const observations = tracks(10);
    await start(observations);
    busy(5);
    const { keys, adsb, minutes } = await loadAll(history.reader);
    const [from, to] = history.requestedWindows()[0] as readonly [number, number];
    expect(adsb?.gaps.map(({ start, end, reason }) => [Date.parse(start), Date.parse(end), reason])).toEqual([
      [from, (from + to) / 2, 'service_busy'],
      [(from + to) / 2, to, 'service_busy'],
    ]);
    expect(keys.size).toBe(
      observations.filter(({ observedAt }) => epochMs(observedAt) < from || epochMs(observedAt) >= to).length,
    );
    expect(minutes).toMatch(/^f+c+$/);
    history.live.service.clearRequests();
    expect((await loadAll(history.reader)).adsb).toMatchObject({ complete: true, records: observations.length });
    for (const [, end] of history.requestedWindows()) expect(end).toBeLessThanOrEqual(to);
  });

  test('is not tried in smaller windows where that would exceed the quoted requests', async () => {
    await start(tracks(10));
    busy();
    const { adsb } = await loadAll(history.reader, historyQuery({ maxRequests: 4 }));
    expect(history.requests()).toBeLessThanOrEqual(4);
    expect(new Set(history.requestedWindows().map(([from]) => from)).size).toBeLessThanOrEqual(2);
    expect(adsb).toMatchObject({ complete: false, requests: history.requests() });
  });

  test('ends the load after a few failures in a row, so that a service which is down is not tried for every part', async () => {
    await start(tracks(20));
    busy();
    const began = history.live.now();
    const { adsb, minutes } = await loadAll(history.reader);
    expect(history.requests()).toBe(6);
    // Five waits before retries, doubling from 2 s.
    expect(msBetween(began, history.live.now())).toBeLessThanOrEqual(62_000);
    expect(new Set(adsb?.gaps.map(({ reason }) => reason))).toEqual(new Set(['service_busy']));
    expect(minutes).toBe('f'.repeat(60));
    history.live.service.clearFault();
    history.live.moveClock(120_000);
    expect((await loadAll(history.reader)).adsb?.complete).toBe(true);
  });
});

describe('the allowance', () => {
  test('a load waits for the end of a 429, and loses nothing', async () => {
    const observations = tracks(10);
    await start(observations);
    const loading = history.reader.load(historyQuery(), 'alice', new AbortController().signal)[Symbol.asyncIterator]();
    await loading.next();
    await loading.next();
    history.live.service.setFault({ kind: 'status', status: 429, retry_after: '30', times: 1 });
    let end: EndLine | undefined;
    const pauses = new Set<string>();
    let saidMs = epochMs(history.live.now());
    for (let step = await loading.next(); !step.done; step = await loading.next()) {
      if (step.value.kind !== 'line') continue;
      const nowMs = epochMs(history.live.now());
      expect(nowMs - saidMs, 'no silence that a proxy would take for a dead connection').toBeLessThanOrEqual(15_000);
      saidMs = nowMs;
      if (step.value.line.type === 'end') end = step.value.line;
      else if (step.value.line.type === 'progress' && step.value.line.paused) pauses.add(step.value.line.paused.reason);
    }
    expect(pauses).toEqual(new Set(['allowance_used_up']));
    expect(end?.layers.adsb).toMatchObject({ complete: true, records: observations.length });
  });

  test('a load makes no more requests than quoted, and reports the rest as not requested', async () => {
    await start(tracks(20));
    const { adsb, minutes } = await loadAll(history.reader, historyQuery({ maxRequests: 5 }));
    expect(history.requests()).toBe(5);
    expect(adsb?.gaps.every(({ reason }) => reason === 'not_requested')).toBe(true);
    expect(minutes).toMatch(/n/);
  });

  test('no minute is still loading after the end of a load, for any quoted number', async () => {
    await start(tracks(10));
    for (let maxRequests = 0; maxRequests <= 6; maxRequests++) {
      const reader = history.readerWith(new PartCache());
      const { minutes } = await loadAll(reader, historyQuery({ layers: ['rid', 'adsb'], maxRequests }));
      expect(minutes, `${maxRequests} requests`).toMatch(/^[ctfn]{60}$/);
    }
  });

  test('a closed page stops its load: no further requests', async () => {
    await start(tracks(20));
    const closed = new AbortController();
    const events = history.reader.load(historyQuery(), 'alice', closed.signal)[Symbol.asyncIterator]();
    for (let step = 0; step < 6; step++) await events.next();
    closed.abort();
    await expect(
      (async () => {
        while (!(await events.next()).done);
      })(),
    ).rejects.toThrow();
    const made = history.requests();
    await history.live.read();
    expect(history.live.countOf('history_adsb')).toBeLessThanOrEqual(made);
  });

  test('a closed page stops its load at once while it waits for the end of a 429', async () => {
    await start(tracks(10));
    history.live.service.setFault({ kind: 'status', status: 429, retry_after: '100' });
    const closed = new AbortController();
    const reader = history.readerWith(new PartCache(), sleep);
    const events = reader.load(historyQuery(), 'alice', closed.signal);
    for (let pause = null; pause === null; ) {
      const { value } = await events.next();
      if (value?.kind === 'line' && value.line.type === 'progress') pause = value.line.paused;
    }
    const next = events.next();
    let rejected: unknown;
    next.catch((error: unknown) => {
      rejected = error;
    });
    await nextLoop();
    const reason = new Error('the page was closed');
    closed.abort(reason);
    await nextLoop();
    expect(rejected).toBe(reason);
    expect(getEventListeners(closed.signal, 'abort')).toEqual([]);
  });
});

describe('loads of one operator', () => {
  /** Hours differ, so that no request is shared. */
  const begin = (hour: number, operator: string, name?: string) => {
    const closed = new AbortController();
    const window = { start: addMs(HOUR.start, -hour * 3_600_000), end: addMs(HOUR.end, -hour * 3_600_000) };
    const query = historyQuery({ window, ...(name !== undefined && { load: name }) });
    const events = history.reader.load(query, operator, closed.signal);
    const nextLine = async () => {
      for (;;) {
        const { done, value } = await events.next();
        if (done) return undefined;
        if (value.kind === 'line') return value.line;
      }
    };
    const atEnd = async () => {
      for (let last: EndLine | undefined; ; ) {
        const line = await nextLine();
        if (!line) return last?.layers.adsb;
        if (line.type === 'end') last = line;
      }
    };
    return { nextLine, atEnd, closed };
  };

  test('forty at once: two run, the rest receive their position in the queue, and a colleague’s load waits for none', async () => {
    await start(tracks(5));
    const loads = Array.from({ length: 40 }, (_, hour) => begin(hour, 'alice'));
    const first = await Promise.all(loads.map(({ nextLine }) => nextLine()));
    expect(first.slice(0, 2).map((line) => line?.type)).toEqual(['progress', 'progress']);
    expect(first.slice(2)).toEqual(
      Array.from({ length: 38 }, (_, at) => ({ type: 'queued', rank: at + 1, running: 2 })),
    );
    expect(history.requests(), 'a queued load costs nothing').toBe(0);
    expect(history.reader.loads).toEqual({ running: 2, waiting: 38 });
    expect(await begin(0, 'bob').atEnd()).toMatchObject({ complete: true });

    loads[2]?.closed.abort();
    expect(await loads[3]?.nextLine()).toEqual({ type: 'queued', rank: 1, running: 2 });
    expect(await loads[0]?.atEnd()).toMatchObject({ complete: true });
    expect((await loads[3]?.nextLine())?.type).toBe('progress');
    expect(await loads[4]?.nextLine()).toEqual({ type: 'queued', rank: 1, running: 2 });

    for (const { closed } of loads) closed.abort();
    expect(history.reader.loads).toEqual({ running: 0, waiting: 0 });
    await expect(loads[9]?.nextLine()).rejects.toBe(loads[9]?.closed.signal.reason);
    for (const { closed } of loads) expect(getEventListeners(closed.signal, 'abort')).toEqual([]);
  });

  test('a queued load begins at the moment that its operator looks at then; another operator cannot move it', async () => {
    await start(tracks(10));
    const running = [begin(1, 'alice'), begin(2, 'alice')];
    const waiting = begin(0, 'alice', 'third');
    expect((await waiting.nextLine())?.type).toBe('queued');
    const from = addMs(HOUR.start, 30 * 60_000);
    expect(await history.reader.seek('bob', 'third', HOUR.start)).toBe(false);
    expect(await history.reader.seek('alice', 'third', from)).toBe(true);
    for (const { closed } of running) closed.abort();
    expect(await waiting.atEnd()).toMatchObject({ complete: true });
    expect(history.requestedWindows()[0]?.[0]).toBe(epochMs(from));
  });
});

describe('windows and areas', () => {
  test('a window that reaches to now is loaded up to now, and not cached, because records are still to come', async () => {
    const window = { start: addMs(NOW, -600_000), end: addMs(NOW, 600_000) };
    await start(tracks(5, { start: window.start, end: NOW }));
    const first = await loadAll(history.reader, historyQuery({ window }));
    expect(first.adsb?.complete).toBe(true);
    history.live.service.clearRequests();
    history.live.moveClock(60_000);
    await loadAll(history.reader, historyQuery({ window }));
    expect(history.requests()).toBeGreaterThan(0);
  });

  test('an area across 180° is loaded in two boxes, completely', async () => {
    const observations = [179.9, -179.9].map((lon, index) =>
      observation({ sourceId: `${index}`, observedAt: addMs(HOUR.start, 1000), lon, lat: -17 }),
    );
    await start(observations);
    const { keys, adsb } = await loadAll(
      history.reader,
      historyQuery({ bbox: { west: 179, south: -18, east: -179, north: -16 } }),
    );
    expect(keys.size).toBe(2);
    expect(adsb?.complete).toBe(true);
  });

  test('a wide area is loaded as its centre or in tiles, and refused without that choice', async () => {
    await start(tracks(5));
    const bbox = { west: 2, south: 44, east: 14, north: 51 };
    await expect(loadAll(history.reader, historyQuery({ bbox }))).rejects.toThrow(/wide=middle/);
    const cost = await history.reader.cost(historyQuery({ bbox }), 'alice');
    expect(cost).toMatchObject({ wide: true, middle: { boxes: [[5.5, 45, 10.5, 50]] } });
    expect(cost.tiles?.boxes.length).toBe(9);
    const around = await history.reader.cost(historyQuery({ bbox, centre: { lon: 8, lat: 48.5 } }), 'alice');
    expect(around).toMatchObject({ middle: { boxes: [[5.5, 46, 10.5, 51]] }, tiles: cost.tiles });
    expect((await loadAll(history.reader, historyQuery({ bbox, wide: 'middle' }))).keys.size).toBe(1800);
    expect((await loadAll(history.reader, historyQuery({ bbox, wide: 'tiles' }))).keys.size).toBe(1800);
  });

  test('windows over a day, in the future, or beyond any history are refused', async () => {
    await start([]);
    await expect(async () =>
      loadAll(history.reader, historyQuery({ window: { ...HOUR, start: addMs(HOUR.end, -86_400_000 - 600_001) } })),
    ).rejects.toThrow(/at most 24 h long/);
    const future = { start: addMs(NOW, 60_000), end: addMs(NOW, 120_000) };
    await expect(async () => loadAll(history.reader, historyQuery({ window: future }))).rejects.toThrow(
      /in the future/,
    );
    const old = { start: addMs(NOW, -31 * 86_400_000), end: addMs(NOW, -31 * 86_400_000 + 1000) };
    await expect(async () => loadAll(history.reader, historyQuery({ window: old }))).rejects.toThrow(/30 days/);
    expect(history.requests()).toBe(0);
  });
});
