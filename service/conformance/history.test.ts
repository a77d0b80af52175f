import { afterEach, describe, expect, test } from 'vitest';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import type { Observation } from '../sources/observation.ts';
import { SOURCE_WINDOW_MAX } from '../store/history-window.ts';
import { BBOX, type ConformanceService, START, startConformanceService } from './conformance-service.ts';
import { listedSource, observation } from './listed-source.ts';

let running: ConformanceService;
afterEach(() => running.service.close());

const MINUTE = 60_000;

async function start(observations: readonly Observation[]) {
  running = await startConformanceService({ source: listedSource(observations) });
}

function seen(msFromNow: number, change: Partial<Observation> = {}): Observation {
  return observation({ observedAt: addMs(START, msFromNow), ...change });
}

async function history(startMs: number, endMs: number, more = '', layer = 'adsb') {
  const window = `start=${formatInstant(addMs(START, startMs))}&end=${formatInstant(addMs(START, endMs))}`;
  const answer = await running.get(`history/${layer}?bbox=${BBOX}&${window}${more}`);
  expect(answer.status).toBe(200);
  return answer.json;
}

const timesOf = (data: readonly { observed_at: string }[]) => data.map(({ observed_at }) => observed_at);

describe('History behaviour', () => {
  test('the window is half-open: start is inclusive, end is exclusive', async () => {
    await start([seen(-10 * MINUTE), seen(-5 * MINUTE)]);
    const { data } = await history(-10 * MINUTE, -5 * MINUTE);
    expect(timesOf(data)).toEqual([formatInstant(addMs(START, -10 * MINUTE))]);
  });

  test('two adjacent windows return every observation once', async () => {
    const observations = Array.from({ length: 60 }, (_, index) => seen(-10 * MINUTE + index * 5_000));
    await start(observations);
    const halves = [await history(-10 * MINUTE, -7.5 * MINUTE), await history(-7.5 * MINUTE, -5 * MINUTE)];
    const whole = await history(-10 * MINUTE, -5 * MINUTE);
    expect(halves.flatMap(({ data }) => timesOf(data))).toEqual(timesOf(whole.data));
    expect(whole.data.length).toBe(60);
  });

  test('a timezone does not change the instant', async () => {
    await start([seen(-10 * MINUTE)]);
    const answer = await running.get(
      `history/adsb?bbox=${BBOX}&start=2026-11-21T12:50:10%2B01:00&end=2026-11-21T06:50:11-05:00`,
    );
    expect(answer.json.data.length).toBe(1);
  });

  test('all observations of a track are returned, not only the latest', async () => {
    await start([seen(-9 * MINUTE), seen(-8 * MINUTE), seen(-7 * MINUTE)]);
    expect((await history(-10 * MINUTE, 0)).data.length).toBe(3);
  });

  test('truncated if more than limit records match; the earliest are returned', async () => {
    const observations = Array.from({ length: 12 }, (_, index) => seen((index - 20) * 1000));
    await start(observations);
    const cut = await history(-MINUTE, 0, '&limit=11');
    expect([cut.data.length, cut.truncated, cut.next_cursor]).toEqual([11, true, null]);
    const whole = await history(-MINUTE, 0, '&limit=12');
    expect([whole.data.length, whole.truncated]).toEqual([12, false]);
    expect(timesOf(cut.data)).toEqual(timesOf(whole.data).slice(0, 11));
  });

  test('limit counts records; the default is 250', async () => {
    await start(Array.from({ length: 300 }, (_, index) => seen(-MINUTE + index * 100)));
    const { data, truncated } = await history(-2 * MINUTE, 0);
    expect([data.length, truncated]).toEqual([250, true]);
  });

  test('one timestamp that is too dense stays truncated in any window, and is complete in smaller bounds', async () => {
    await start(
      Array.from({ length: 8 }, (_, index) => seen(-MINUTE, { sourceId: `${index}`, lon: 8.1 + index / 10 })),
    );
    expect((await history(-MINUTE, -MINUTE + 1, '&limit=4')).truncated).toBe(true);
    const window = `start=${formatInstant(addMs(START, -MINUTE))}&end=${formatInstant(START)}&limit=4`;
    const west = await running.get(`history/adsb?bbox=8,47,8.45,48&${window}`);
    const east = await running.get(`history/adsb?bbox=8.45,47,9,48&${window}`);
    expect([west.json.truncated, east.json.truncated]).toEqual([false, false]);
    expect(west.json.data.length + east.json.data.length).toBe(8);
  });

  test('5000 observations at one instant in a tiny area stay truncated down to the millisecond, and are complete after quartering the area', async () => {
    const aircraft = Array.from({ length: 5000 }, (_, index) =>
      seen(-MINUTE, {
        sourceId: `${index}`,
        lon: 8.5 + (index % 100) / 1e5,
        lat: 47.4 + Math.floor(index / 100) / 1e5,
      }),
    );
    await start([...aircraft, seen(-MINUTE - 1), seen(-MINUTE + 1)]);
    for (const [from, to] of [
      [-60 * MINUTE, 0],
      [-MINUTE, -MINUTE + 1000],
      [-MINUTE, -MINUTE + 1],
    ] as const) {
      const { data, truncated } = await history(from, to, '&limit=1000');
      expect([data.length, truncated]).toEqual([1000, true]);
    }

    const window = `start=${formatInstant(addMs(START, -MINUTE))}&end=${formatInstant(addMs(START, -MINUTE + 1))}`;
    const found: string[] = [];
    const read = async (west: number, south: number, sideSteps: number): Promise<void> => {
      // So that no aircraft is in two boxes.
      const edge = (base: number, steps: number) => (base + (steps - 0.5) / 1e5).toFixed(7);
      const box = [edge(8.5, west), edge(47.4, south), edge(8.5, west + sideSteps), edge(47.4, south + sideSteps)];
      const { json } = await running.get(`history/adsb?bbox=${box.join(',')}&${window}&limit=1000`);
      if (!json.truncated) {
        found.push(...json.data.map((record: { public_track_id: string }) => record.public_track_id));
        return;
      }
      const half = sideSteps / 2;
      for (const [x, y] of [
        [0, 0],
        [half, 0],
        [0, half],
        [half, half],
      ] as const)
        await read(west + x, south + y, half);
    };
    await read(0, 0, 128);
    expect(found.length).toBe(5000);
    expect(new Set(found).size).toBe(5000);
  });

  test('records are ordered by time, then by reference', async () => {
    await start(Array.from({ length: 40 }, (_, index) => seen(-MINUTE + (index % 4) * 1000, { sourceId: `${index}` })));
    const { data } = await history(-2 * MINUTE, 0);
    const keys = data.map(
      (record: { observed_at: string; public_track_id: string }) => `${record.observed_at} ${record.public_track_id}`,
    );
    expect(keys).toEqual(keys.toSorted());
  });

  test('the flag also detects an overfull source window, before filtering to the layer: few records, yet truncated', async () => {
    const aircraft = Array.from({ length: SOURCE_WINDOW_MAX }, (_, index) =>
      seen(-50 * MINUTE + index, { sourceId: `${index}` }),
    );
    const early = seen(-55 * MINUTE, { layer: 'rid', sourceId: 'early' });
    const late = seen(-5 * MINUTE, { layer: 'rid', sourceId: 'late' });
    await start([...aircraft, early, late]);
    const overfull = await history(-60 * MINUTE, 0, '', 'rid');
    expect(overfull.truncated).toBe(true);
    expect(timesOf(overfull.data)).toEqual([formatInstant(early.observedAt)]);
    const half = await history(-30 * MINUTE, 0, '', 'rid');
    expect(half.truncated).toBe(false);
    expect(timesOf(half.data)).toEqual([formatInstant(late.observedAt)]);
  });

  test('a source window that is exactly full is not overfull', async () => {
    const aircraft = Array.from({ length: SOURCE_WINDOW_MAX - 1 }, (_, index) =>
      seen(-50 * MINUTE + index, { sourceId: `${index}` }),
    );
    await start([...aircraft, seen(-5 * MINUTE, { layer: 'rid' })]);
    const { data, truncated } = await history(-60 * MINUTE, 0, '', 'rid');
    expect([data.length, truncated]).toEqual([1, false]);
  });
});
