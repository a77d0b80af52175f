import { afterEach, describe, expect, test } from 'vitest';
import { compactHeadSchema, formatSince, parseSince, type Since } from '#lib/api/compact-answer.ts';
import { statusAnswerSchema } from '#lib/api/status-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Reception } from '#lib/model/reception.ts';
import { addMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Source } from '#service/sources/observation.ts';
import { type LiveHarness, type LiveHarnessOptions, startLiveHarness, steadyTraffic } from '#testing/live-harness.ts';

const VIEW: Bbox = { west: 8, south: 47, east: 9, north: 48 };
const EMPTY: Bbox = { west: 100, south: 10, east: 101, north: 11 };
const ACROSS: Bbox = { west: 179, south: -18, east: -179, north: -16 };
const EAST = [179, -18, 180, -16];
const SINCE = upstreamInstant(Date.UTC(2026, 10, 21, 11, 59, 31));

const OK: Reception = { state: 'ok', since: undefined, receivers: 3, receiving: 3 };
const PARTLY: Reception = { state: 'partly', since: SINCE, receivers: 3, receiving: 2 };
const LOST: Reception = { state: 'lost', since: SINCE, receivers: 3, receiving: 0 };
const NONE: Reception = { state: 'none', since: undefined, receivers: 0, receiving: 0 };
const answered = ({ since, ...rest }: Reception) => ({ ...rest, since: since ? formatInstant(since) : null });

let live: LiveHarness;
afterEach(() => live.close());

/** Over HTTP, with a source that reports what `reception` returns. */
async function start(reception: Source['reception'], options: LiveHarnessOptions = {}) {
  const source = options.source ?? steadyTraffic(3);
  live = await startLiveHarness({ ...options, source: { ...source, ...(reception && { reception }) } });
  return live;
}

const adsb = async (view?: Bbox) => {
  const answer = (await live.read(view, ['adsb'])).layers.adsb;
  if (!answer) throw new Error('the layer is missing');
  return answer;
};

describe('the live answer', () => {
  test.each([
    ['lost, with records', LOST, VIEW, 'stale', 'receivers_lost'],
    ['lost, without records', LOST, EMPTY, 'failed', 'receivers_lost'],
    ['partly, with records', PARTLY, VIEW, 'fresh', 'receivers_partly'],
    ['partly, without records', PARTLY, EMPTY, 'fresh', 'receivers_partly'],
    ['none, with records', NONE, VIEW, 'stale', 'not_equipped'],
    ['none, without records', NONE, EMPTY, 'unequipped', 'not_equipped'],
    ['ok, without records', OK, EMPTY, 'fresh', null],
  ])('says of a reception that is %s its state and reason', async (_, reception, view, state, reason) => {
    await start(() => reception);
    const answer = await adsb(view);
    expect(answer).toMatchObject({ state, reason, reception: answered(reception) });
    expect(answer.failing_since).toBe(reason === 'receivers_lost' ? formatInstant(SINCE) : null);
    expect(answer.partial).toBe(reason === 'receivers_partly');
    expect(answer.gaps.map((gap) => gap.reason)).toEqual(reason === 'receivers_partly' ? [reason] : []);
    expect(answer.records).toHaveLength(view === VIEW ? 3 : 0);
  });

  test.each([
    ['lost', LOST, 'stale', 'receivers_lost'],
    ['partly', PARTLY, 'fresh', 'receivers_partly'],
    ['none', NONE, 'fresh', 'not_equipped'],
  ])('has a gap where the reception of a part is %s', async (_, reception, state, reason) => {
    const source = steadyTraffic(40, { lon: 179.8, lat: -17 });
    await start((_layer, { west }) => (west > 0 ? reception : OK), { source });
    const answer = await adsb(ACROSS);
    expect(answer).toMatchObject({ state, reason, partial: true, reception: answered(reception) });
    expect(answer.gaps).toEqual([{ bbox: EAST, reason }]);
  });

  test('counts the worst of several areas, with a gap for each', async () => {
    await start((_layer, { west }) => (west > 0 ? LOST : NONE));
    const answer = await adsb(ACROSS);
    expect(answer).toMatchObject({ state: 'failed', reason: 'receivers_lost', reception: answered(LOST) });
    expect(answer.gaps.map(({ reason }) => reason).toSorted()).toEqual(['not_equipped', 'receivers_lost']);
  });

  test('is that of the own place of a view, where another service that fails delivers a part of what is read for it', async () => {
    const [west, east] = [
      { ...VIEW, west: 0, east: 8.5 },
      { ...VIEW, west: 8.5, east: 20 },
    ];
    const places = [
      { ...OK, bbox: { ...west, south: 40, north: 60 } },
      { ...PARTLY, bbox: { ...east, south: 40, north: 60 } },
    ];
    await start(() => ({ ...PARTLY, places }));
    const whole = await adsb(VIEW);
    expect(whole).toMatchObject({ reason: 'receivers_partly', reception: answered(PARTLY) });
    expect(whole.gaps).toEqual([{ bbox: [8.5, 47, 9, 48], reason: 'receivers_partly' }]);
    expect(await adsb({ ...VIEW, west: 8.6 })).toMatchObject({ partial: true, reception: answered(PARTLY) });
    expect(await adsb({ ...VIEW, east: 8.4 })).toMatchObject({ reason: null, gaps: [], reception: answered(OK) });
  });

  test('is that of each layer by itself', async () => {
    await start((layer) => (layer === 'rid' ? NONE : OK));
    const { layers } = await live.read(EMPTY);
    expect([layers.rid?.state, layers.adsb?.state]).toEqual(['unequipped', 'fresh']);
  });

  test('a failing upstream has precedence, and hides the last reception', async () => {
    await start(() => LOST);
    expect((await adsb()).reason).toBe('receivers_lost');
    live.service.setFault({ kind: 'status', status: 503 });
    live.moveClock(20_000);
    expect(await adsb()).toMatchObject({ state: 'stale', reason: 'service_busy', gaps: [], reception: null });
  });

  test.each([
    ['an unknown state', { ...LOST, state: 'dead' }],
    ['a count below 0', { ...LOST, receivers: -1 }],
    ['a count that is no whole number', { ...LOST, receiving: 0.5 }],
    ['no counts', { state: 'lost', since: SINCE }],
  ])('a report with %s counts as none', async (_, odd) => {
    await start(() => odd as Reception);
    expect(await adsb()).toMatchObject({ state: 'fresh', reason: null, reception: null });
  });

  test('of several pages is that of the first, also where a later one fails', async () => {
    await start(() => LOST, { source: steadyTraffic(1500) });
    live.service.setFault({ kind: 'cursor_refused' });
    const { state, reason, reception, gaps } = await adsb();
    expect([state, reason, reception?.state]).toEqual(['stale', 'receivers_lost', 'lost']);
    expect(gaps.map((gap) => gap.reason)).toEqual(['pages_interrupted']);
  });

  test('is the same as ever where none is reported', async () => {
    await start(undefined);
    const silent = [await adsb(), await adsb(EMPTY)];
    expect(silent.map(({ reception }) => reception)).toEqual([null, null]);
    await live.close();
    await start(() => OK);
    const reported = [await adsb(), await adsb(EMPTY)];
    expect(reported.map((answer) => ({ ...answer, reception: null }))).toEqual(silent);
    expect(silent.map(({ state, reason, partial }) => [state, reason, partial])).toEqual([
      ['fresh', null, false],
      ['fresh', null, false],
    ]);
  });
});

describe('the compact answer', () => {
  async function poll(since: Since, waitMs?: number) {
    const viewer = { operator: 'local', session: undefined, page: 'only' };
    const { head } = splitHead(await live.reader.readCompact(viewer, EMPTY, ['adsb'], since, { waitMs }));
    const { adsb } = compactHeadSchema.parse(head).layers;
    if (!adsb) throw new Error('the layer is missing');
    const next = new Map(adsb.parts.map(({ area, sequence }) => [area, sequence]));
    return { ...adsb, since: parseSince(formatSince(next)) as Since };
  }

  test('a poll that waits is released by a changed reception although no record changed', async () => {
    let reception = OK;
    await start(() => reception);
    await poll(new Map());
    await live.scheduler.idle();
    for (const [next, state] of [
      [LOST, 'failed'],
      [PARTLY, 'fresh'],
      [NONE, 'unequipped'],
      [OK, 'fresh'],
    ] as const) {
      const { since } = await poll(new Map());
      const waiting = poll(since, 600_000);
      reception = next;
      live.moveClock(10_000);
      await live.scheduler.tick();
      await live.scheduler.idle();
      expect(await waiting).toMatchObject({ state, reception: answered(next) });
    }
  });

  test('a poll is answered at once where the reception changed since its last answer', async () => {
    let reception = OK;
    await start(() => reception);
    const { since } = await poll(new Map());
    await live.scheduler.idle();
    reception = LOST;
    live.moveClock(10_000);
    await live.scheduler.tick();
    await live.scheduler.idle();
    expect(await poll(since, 600_000)).toMatchObject({ state: 'failed', reason: 'receivers_lost' });
  });
});

describe('the status', () => {
  const layer = async () => statusAnswerSchema.parse(await live.status.read()).layers.adsb;

  test.each([
    [LOST, 'failing', 'receivers_lost'],
    [PARTLY, 'partly', 'receivers_partly'],
    [NONE, 'unequipped', 'not_equipped'],
    [OK, 'ok', null],
  ])('has the state, the counts and since when', async (reception, state, reason) => {
    await start(() => reception);
    await live.read();
    const since = reason === null ? null : answered(reception).since;
    expect(await layer()).toEqual({ state, reason, since, until: null, reception: answered(reception) });
  });

  test('knows it from the reads of zones, without a viewer', async () => {
    await start(() => LOST);
    expect(await layer()).toMatchObject({ state: 'unknown', reception: null });
    live.scheduler.watch([{ layer: 'adsb', bbox: VIEW }]);
    await live.scheduler.idle();
    expect(await layer()).toMatchObject({ state: 'failing', reason: 'receivers_lost', reception: answered(LOST) });
  });

  test('is that of the worst planned area', async () => {
    await start((_layer, { west }) => (west > 0 ? PARTLY : OK));
    await live.read(ACROSS);
    expect(await layer()).toMatchObject({ state: 'partly', reason: 'receivers_partly' });
  });

  test('has the failure of the requests instead', async () => {
    await start(() => LOST);
    await live.read();
    live.service.setFault({ kind: 'status', status: 403 });
    live.moveClock(20_000);
    await live.read();
    expect(await layer()).toMatchObject({ state: 'denied', reason: 'layer_not_approved', reception: null });
  });

  test('does not know it where nothing is planned', async () => {
    await start(() => LOST);
    await live.read();
    live.moveClock(120_000);
    await live.scheduler.tick();
    expect(await layer()).toMatchObject({ state: 'ok', reason: null, reception: null });
  });
});

test('keeps its age when the clock is set back', async () => {
  await start(() => LOST);
  await live.read();
  live.snapshots.setBack(60_000);
  const { reception } = await adsb();
  expect(reception?.since).toBe(formatInstant(addMs(SINCE, -60_000)));
});
