import { afterEach, describe, expect, test } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { ReceptionStretch } from '#lib/model/reception.ts';
import { addMs, formatInstant, localInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { listedSource } from '#service/conformance/listed-source.ts';
import type { Source } from '#service/sources/observation.ts';
import {
  type HistoryHarness,
  HOUR,
  historyQuery,
  loadAll,
  startHistoryHarness,
  tracks,
} from '#testing/history-harness.ts';
import { describeOneDatabase } from '#testing/test-databases.ts';
import { ONLY_SERVER } from '../database/writer-lease.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { UpstreamClock } from '../upstream/upstream-clock.ts';
import type { LoadEvent } from './history-load.ts';
import { PartCache } from './parts/part-cache.ts';
import { StoredParts } from './parts/stored-parts.ts';
import { readAnswer, writeAnswer } from './parts/wanted-parts.ts';

let history: HistoryHarness;
afterEach(() => history.live.close());

type PastReception = NonNullable<Source['pastReception']>;

const at = (minutes: number) => addMs(HOUR.start, minutes * MINUTE_MS);
const stretch = (from: number, to: number, state: ReceptionStretch['state']) => ({ from: at(from), to: at(to), state });
/** The stretch covers all time, as far as the window goes. */
const always =
  (...stretches: readonly ReceptionStretch[]): PastReception =>
  (_layer, _bbox, { start, end }) =>
    stretches
      .filter(({ from, to }) => from < end && to > start)
      .map(({ from, to, state }) => ({ from: from < start ? start : from, to: to > end ? end : to, state }));

async function start(pastReception: PastReception | undefined, observations = tracks(5), cache = new PartCache()) {
  const source: Source = listedSource(observations);
  history = await startHistoryHarness([], { source: { ...source, ...(pastReception && { pastReception }) }, cache });
}

const gapsOf = (reception: Awaited<ReturnType<typeof loadAll>>['adsb']) =>
  reception?.reception?.map(({ start, end, reason }) => [
    (Date.parse(start) - Date.parse(formatInstant(HOUR.start))) / MINUTE_MS,
    (Date.parse(end) - Date.parse(formatInstant(HOUR.start))) / MINUTE_MS,
    reason,
  ]);

describe('an hour without its receiver', () => {
  const NIGHT = stretch(10, 45.5, 'lost');

  test('is no quiet hour: it names the time without a receiver', async () => {
    await start(always(stretch(0, 10, 'ok'), NIGHT, stretch(45.5, 60, 'ok')), []);
    const { minutes, adsb } = await loadAll(history.reader);
    expect(minutes).toBe(`${'c'.repeat(10)}${'r'.repeat(36)}${'c'.repeat(14)}`);
    expect(gapsOf(adsb)).toEqual([[10, 45.5, 'receivers_lost']]);
  });

  test('is complete and costs nothing again: there is nothing more to load', async () => {
    await start(always(NIGHT));
    const first = await loadAll(history.reader);
    expect(first.adsb).toMatchObject({ complete: true, gaps: [] });
    history.live.service.clearRequests();
    expect((await history.reader.cost(historyQuery(), 'alice')).middle.expected).toBe(0);
    const second = await loadAll(history.reader);
    expect(history.requests()).toBe(0);
    expect([second.minutes, second.adsb?.reception]).toEqual([first.minutes, first.adsb?.reception]);
  });

  test('says so in the parts of it that another window has cached', async () => {
    await start(always(NIGHT));
    await loadAll(history.reader);
    history.live.service.clearRequests();
    const { minutes, adsb } = await loadAll(history.reader, historyQuery({ window: { start: at(5), end: at(20) } }));
    expect(history.requests()).toBe(0);
    expect(minutes).toBe(`${'c'.repeat(5)}${'r'.repeat(10)}`);
    expect(gapsOf(adsb)).toEqual([[10, 20, 'receivers_lost']]);
  });

  test('gives each part the reception of its window', async () => {
    await start(always(NIGHT), tracks(40));
    const parts: LoadEvent[] = [];
    for await (const event of history.reader.load(historyQuery(), 'alice', new AbortController().signal))
      if (event.kind === 'part') parts.push(event);
    expect(parts.length).toBeGreaterThan(3);
    for (const event of parts) {
      if (event.kind !== 'part') continue;
      const { window, reception } = event.part;
      const isOff = window.start < NIGHT.to && window.end > NIGHT.from;
      expect(reception?.every(({ from, to }) => from >= window.start && to <= window.end)).toBe(
        isOff ? true : undefined,
      );
    }
  });
});

test('Some of the receivers, and a layer without any, have their own reasons', async () => {
  await start(always(stretch(0, 20, 'partly'), stretch(20, 60, 'none')));
  const { minutes, adsb } = await loadAll(history.reader);
  expect(minutes).toBe(`${'p'.repeat(20)}${'e'.repeat(40)}`);
  expect(gapsOf(adsb)).toEqual([
    [0, 20, 'receivers_partly'],
    [20, 60, 'not_equipped'],
  ]);
});

test('A day joins the hours of a night', async () => {
  const night = { start: addMs(HOUR.end, -24 * HOUR_MS), end: HOUR.end };
  await start(always({ from: addMs(night.start, 5 * HOUR_MS), to: addMs(night.start, 17.5 * HOUR_MS), state: 'lost' }));
  const { minutes, adsb } = await loadAll(history.reader, historyQuery({ window: night }));
  expect(minutes).toMatch(/^c{300}r{750}c{390}$/);
  expect(adsb?.reception).toHaveLength(1);
});

test('Where one of two boxes has lost its receivers the minute is partly, and the box is named', async () => {
  const acrossTheLine: Bbox = { west: 178, south: -18, east: -178, north: -16 };
  await start((_layer, bbox, { start: from, end: to }) => (bbox.west > 0 ? [{ from, to, state: 'lost' }] : []), []);
  const { minutes, adsb } = await loadAll(history.reader, historyQuery({ bbox: acrossTheLine }));
  expect(minutes).toBe('p'.repeat(60));
  expect(adsb?.reception?.map(({ bbox, reason }) => [bbox[0], bbox[2], reason])).toEqual([
    [178, 180, 'receivers_lost'],
  ]);
  await history.live.close();
  await start(always(stretch(0, 60, 'lost')), []);
  const lost = await loadAll(history.reader, historyQuery({ bbox: acrossTheLine }));
  expect(lost.minutes).toBe('r'.repeat(60));
  expect(lost.adsb?.reception).toHaveLength(2);
});

test('A tile has the reception of its own place, also in a smaller view of it', async () => {
  const isLost = (bbox: Bbox) => bbox.west >= 10;
  await start(
    (_layer, bbox, { start: from, end: to }) => [
      { from, to, state: isLost(bbox) ? ('lost' as const) : ('ok' as const) },
    ],
    [],
  );
  const wide = { west: 6, south: 45, east: 14, north: 50 };
  const { minutes, adsb } = await loadAll(history.reader, historyQuery({ bbox: wide, wide: 'tiles' }));
  expect(minutes).toBe('p'.repeat(60));
  expect(adsb?.reception?.every(({ bbox, reason }) => bbox[0] >= 10 && reason === 'receivers_lost')).toBe(true);
  history.live.service.clearRequests();
  const inside = await loadAll(history.reader, historyQuery({ bbox: { west: 11, south: 46, east: 12, north: 47 } }));
  expect([inside.minutes, history.requests()]).toEqual(['r'.repeat(60), 0]);
});

test('Minutes that are not loaded have no reception', async () => {
  const window = { start: addMs(HOUR.end, -24 * HOUR_MS), end: HOUR.end };
  await start(always({ from: window.start, to: window.end, state: 'lost' }));
  const { minutes, adsb } = await loadAll(history.reader, historyQuery({ window, maxRequests: 3 }));
  expect(minutes).toMatch(/^[rn]+$/);
  expect(adsb?.complete).toBe(false);
  const said = adsb?.reception?.reduce((sum, { start: from, end }) => sum + Date.parse(end) - Date.parse(from), 0);
  expect(said).toBe(minutes.replaceAll('n', '').length * MINUTE_MS);
});

test('A reader gets the reception of a part from the writer', () => {
  const part = {
    layer: 'adsb' as const,
    bbox: { west: 8, south: 47, east: 9, north: 48 },
    window: HOUR,
    records: 0,
    truncated: false,
    unreadable: 0,
    body: new Uint8Array([1]),
  };
  const clock = new UpstreamClock(() => localInstant(0));
  for (const each of [part, { ...part, reception: [stretch(10, 45, 'lost')] }]) {
    const answer = writeAnswer({ kind: 'part', part: each, requests: 1 }, true, clock);
    expect(readAnswer(answer, part, clock).outcome).toEqual({ kind: 'part', part: each, requests: 1 });
  }
});

describe('without reported reception', () => {
  test('the answer does not mention receivers', async () => {
    await start(undefined);
    const { minutes, adsb } = await loadAll(history.reader);
    expect(minutes).toBe('c'.repeat(60));
    expect(new Set(Object.keys(adsb ?? {}))).toEqual(new Set(['complete', 'gaps', 'records', 'requests']));
  });

  test.each([
    ['out of order', () => [stretch(30, 60, 'lost'), stretch(0, 20, 'lost')]],
    ['overlapping', () => [stretch(0, 30, 'lost'), stretch(20, 60, 'lost')]],
    ['empty', () => [stretch(30, 30, 'lost')]],
    ['backwards', () => [stretch(40, 30, 'lost')]],
    ['of an unknown state', () => [{ ...stretch(0, 30, 'lost'), state: 'asleep' as 'lost' }]],
    ['elsewhere', () => [stretch(60, 90, 'lost'), stretch(90, 120, 'lost')]],
  ] satisfies [string, () => ReceptionStretch[]][])('as is a list that is %s', async (_name, list) => {
    await start(list, []);
    const { minutes, adsb } = await loadAll(history.reader);
    expect([minutes, adsb?.reception]).toEqual(['c'.repeat(60), undefined]);
  });
});

test('A receiver that comes and goes every ten seconds fits a line that a browser reads', async () => {
  const flapping: PastReception = (_layer, _bbox, { start: from, end }) => {
    const stretches: ReceptionStretch[] = [];
    for (let each = from; each < end; each = addMs(each, 10 * SECOND_MS))
      stretches.push({ from: each, to: addMs(each, 5 * SECOND_MS), state: 'lost' });
    return stretches;
  };
  await start(flapping, []);
  const window = { start: addMs(HOUR.end, -24 * HOUR_MS), end: HOUR.end };
  const { adsb, minutes } = await loadAll(history.reader, historyQuery({ window }));
  expect(minutes).toBe('r'.repeat(24 * 60));
  expect(adsb?.reception?.length).toBeLessThanOrEqual(24 * 60);
  expect(adsb?.reception?.at(0)?.start).toBe(formatInstant(window.start));
});

test('Recent reception may still change: it is read again', async () => {
  let isNoticed = false;
  const window: Window = { start: addMs(HOUR.end, 50 * MINUTE_MS), end: addMs(HOUR.end, 58 * MINUTE_MS) };
  await start((_layer, _bbox, { start: from, end: to }) => [{ from, to, state: isNoticed ? 'lost' : 'ok' }], []);
  expect((await loadAll(history.reader, historyQuery({ window }))).minutes).toBe('c'.repeat(8));
  isNoticed = true;
  expect((await loadAll(history.reader, historyQuery({ window }))).minutes).toBe('r'.repeat(8));
});

describeOneDatabase('a stored part', ({ open }) => {
  test('keeps its reception over a restart', async () => {
    const database = await open();
    const stored = () =>
      new PartCache(
        new StoredParts({
          database,
          account: 'one',
          lease: ONLY_SERVER,
          part: strictSupervisor().part('history'),
          wallNow: () => localInstant(Date.now()),
        }),
      );
    await start(always(stretch(10, 45, 'lost')), tracks(5), stored());
    const { minutes, adsb } = await loadAll(history.reader);
    history.live.service.clearRequests();
    const after = await loadAll(history.readerWith(stored()));
    expect(history.requests()).toBe(0);
    expect([after.minutes, after.adsb?.reception]).toEqual([minutes, adsb?.reception]);
    expect(minutes).toContain('r'.repeat(35));
  });

  test('of a build that read no reception is read again', async () => {
    const database = await open();
    const stored = (version?: string) =>
      new PartCache(
        new StoredParts({
          database,
          account: 'one',
          lease: ONLY_SERVER,
          part: strictSupervisor().part('history'),
          wallNow: () => localInstant(Date.now()),
          ...(version && { version }),
        }),
      );
    await start(undefined, [], stored('1.2'));
    await loadAll(history.reader);
    await history.live.close();
    await start(always(stretch(10, 45, 'lost')), [], stored());
    expect((await loadAll(history.reader)).minutes).toContain('r'.repeat(35));
  });
});
