import { afterEach, describe, expect, test } from 'vitest';
import { tryZoneSchema } from '#lib/api/watching/zone-trial.ts';
import { boxRing } from '#lib/geo/bbox.ts';
import type { ReceptionStretch } from '#lib/model/reception.ts';
import { addMs, instantOf } from '#lib/time/instant.ts';
import { observation } from '#service/conformance/listed-source.ts';
import { type HistoryHarness, startHistoryHarness } from '#testing/history-harness.ts';
import { turnsDuring } from '#testing/turns-during.ts';
import { refusalOf } from '../../views/refusal-of.fixture.ts';
import { newZone } from '../new-zone.fixture.ts';
import { withReception } from '../with-reception.fixture.ts';
import { tryZone } from './try-zone.ts';

const WINDOW = { start: '2026-11-21T10:20:00Z', end: '2026-11-21T10:40:00Z' };
const ENTERED_MS = 300_000 + 6 * 5000;

/** Of 24 positions, 14 are inside. */
const crossing = (sourceId: string, change: Partial<Parameters<typeof observation>[0]> = {}) =>
  Array.from({ length: 24 }, (_, index) =>
    observation({
      layer: 'rid',
      sourceId,
      lon: 8.45 + index * 0.004,
      lat: 47.4,
      observedAt: addMs(instantOf(WINDOW.start), 300_000 + index * 5000),
      ...change,
    }),
  );

let harness: HistoryHarness;
afterEach(() => harness.live.close());

async function trialOf(observations: ReturnType<typeof crossing>, change: object = {}, signal = new AbortController()) {
  harness = await startHistoryHarness(observations);
  return again(change, signal);
}

const again = (change: object = {}, { signal } = new AbortController(), left?: AbortSignal) => {
  const { name: _, shared: _1, source: _2, history_requests_a_day: _3, landmark: _4, ...zone } = newZone();
  const body = tryZoneSchema.parse({ ...zone, ...WINDOW, ...change });
  return tryZone(body, { signal, left, load: (query, stop) => harness.reader.load(query, 'al', stop) });
};

describe('a trial of a zone', () => {
  test('says when all receivers were down, and takes that for no silence', async () => {
    await trialOf(crossing('drone'));
    const { name: _, shared: _1, source: _2, history_requests_a_day: _3, landmark: _4, ...zone } = newZone();
    const rules = [{ kind: 'nothing_received', layers: ['rid'], for_s: 60 }];
    const body = tryZoneSchema.parse({ ...zone, ...WINDOW, rules });
    const reception = (from: string, to: string, state: ReceptionStretch['state']) => [
      { from: addMs(instantOf(from), -3_600_000), to: addMs(instantOf(to), 3_600_000), state },
    ];
    const trial = (state: ReceptionStretch['state']) => {
      const reader = withReception(harness.reader, reception(WINDOW.start, WINDOW.end, state));
      return tryZone(body, {
        signal: new AbortController().signal,
        load: (query, stop) => reader.load(query, 'al', stop),
      });
    };
    expect((await trial('ok')).count.alarms).toBeGreaterThan(0);
    expect((await trial('ok')).gaps).toEqual([]);
    const lost = await trial('lost');
    expect(lost.count.alarms).toBe(0);
    expect(lost.gaps.filter(({ layer }) => layer === 'rid')).toMatchObject([{ reason: 'receivers_lost' }]);
    expect((await trial('partly')).gaps[0]).toMatchObject({ reason: 'receivers_partly' });
  });

  test('finds the alarms of its window, with their second and their end, and costs nothing the next time', async () => {
    const trial = await trialOf(crossing('drone'));
    expect(trial).toMatchObject({
      alarms: [{ rule: 0, layer: 'rid', kind: 'entered', state: 'ended', ended: 'left', count: 1 }],
      count: { alarms: 1, expected: 0, height_unknown: 0 },
      rules: [{ alarms: 1 }],
      complete: true,
      cut_short: null,
      positions: 24,
      gaps: [],
    });
    expect(Date.parse(trial.alarms[0]!.opened_at) - Date.parse(WINDOW.start)).toBe(ENTERED_MS);
    expect(trial.requests).toBeGreaterThan(0);
    expect(await again({ rules: [{ kind: 'entered', layers: ['rid'], hold_s: 600 }] })).toMatchObject({
      alarms: [],
      count: { alarms: 0 },
      requests: 0,
      complete: true,
    });
  });

  test('counts what has no height, by position and by alarm', async () => {
    const vertical = { field: 'altitude_m', floor_m: null, ceiling_m: 500, unknown: 'flagged' };
    const observations = [...crossing('with', { altitudeM: 100 }), ...crossing('without', { altitudeM: null })];
    const trial = await trialOf(observations, { vertical });
    expect(trial.count).toEqual({ alarms: 2, expected: 0, height_unknown: 1 });
    expect([trial.positions, trial.positions_inside, trial.inside_without_height]).toEqual([48, 28, 14]);
  });

  test('counts for each rule, and what a permit covers as expected', async () => {
    const rules = [
      { kind: 'entered', layers: ['rid'] },
      { kind: 'left', layers: ['rid'] },
      { kind: 'entered', layers: ['adsb'] },
    ];
    const volume = { layers: ['rid'], track: null, shape: null, vertical: null };
    const permits = [{ ...volume, ...WINDOW }];
    const trial = await trialOf(crossing('drone'), { rules, permits });
    expect(trial.rules.map(({ alarms, expected }) => [alarms, expected])).toEqual([
      [1, 1],
      [1, 1],
      [0, 0],
    ]);
  });

  test('without requests uses what is loaded, and says what it did not read', async () => {
    const trial = await trialOf(crossing('drone'), { max_requests: 0 });
    expect(trial).toMatchObject({ alarms: [], requests: 0, complete: false, cut_short: null });
    expect(new Set(trial.gaps.map(({ layer }) => layer))).toEqual(new Set(['rid', 'adsb']));
  });

  test('that is stopped says so, and takes no silence for a loss', async () => {
    const stopped = new AbortController();
    stopped.abort();
    expect(await trialOf(crossing('drone'), {}, stopped)).toMatchObject({ complete: false, cut_short: 'time' });
  });

  test('reads at most 1000 hours of boxes, and says how to ask for less', async () => {
    harness = await startHistoryHarness([]);
    const day = { start: '2026-11-20T11:00:00Z', end: '2026-11-21T10:00:00Z', max_requests: 0 };
    const around = (half: number) => ({ west: -half, south: -half, east: half, north: half });
    const square = (span: number) => ({ type: 'Polygon', coordinates: [boxRing(around(span / 2))] });
    await expect(again({ ...day, shape: square(170) })).rejects.toMatchObject({
      code: 'bad_body',
      message: expect.stringMatching(/at most 1000 hours of boxes: try a smaller zone, or a shorter time/),
    });
    const { gaps, complete } = await again({ ...day, shape: square(12) });
    expect(complete).toBe(false);
    expect(gaps.map(({ layer }) => layer)).toEqual(['rid', 'adsb']);
  });

  test('gives way while it evaluates, and ends with its client', async () => {
    const left = new AbortController();
    const many = Array.from({ length: 60 }, (_, index) => crossing(`drone ${index}`)).flat();
    await trialOf(many, { max_requests: 500 });
    const { turns, result } = await turnsDuring(() => again());
    expect(result).toMatchObject({ requests: 0, count: { alarms: 60 } });
    expect(turns).toBeGreaterThan(1);
    left.abort();
    await expect(again({}, new AbortController(), left.signal)).rejects.toThrow('aborted');
  });

  test('is refused for windows and zones that cannot be read', async () => {
    harness = await startHistoryHarness([]);
    const bowtie = {
      type: 'Polygon',
      coordinates: [
        [
          [8, 47],
          [9, 48],
          [9, 47],
          [8, 48],
          [8, 47],
        ],
      ],
    };
    const refused = async (change: object) => refusalOf(() => again(change));
    expect([
      await refused({ end: WINDOW.start }),
      await refused({ end: '2026-11-22T10:20:01Z' }),
      await refused({ shape: bowtie }),
      await refused({ start: '2026-10-01T00:00:00Z', end: '2026-10-01T01:00:00Z' }),
      await refused({ start: '2026-11-23T00:00:00Z', end: '2026-11-23T01:00:00Z' }),
    ]).toEqual(['bad_body', 'bad_body', 'bad_body', 'outside_lookback', 'bad_query']);
  });
});
