import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { NO_AIRCRAFT } from './deafness.ts';
import { hoursReport } from './hours-report.ts';
import { decodeDay, encodeDay } from './station-record.ts';
import {
  DAYS_KEPT,
  SAMPLE_GAP_MAX_MS,
  SILENT_AFTER_MS,
  type StationDay,
  type StationSample,
  StationTally,
} from './station-tally.ts';

const START_MS = Date.UTC(2026, 10, 23, 22, 58);

const anyStation = fc.record({
  isConnected: fc.boolean(),
  quietMs: fc.constantFrom(0, SILENT_AFTER_MS, SILENT_AFTER_MS + 1, 60_000),
  moreFixes: fc.nat(50),
  aloneShare: fc.double({ min: 0, max: 1, noNaN: true }),
  clockErrorMs: fc.option(fc.integer({ min: -6000, max: 6000 }), { nil: undefined }),
});
const anyStep = fc.record({
  laterMs: fc.constantFrom(0, 900, 1000, 1100, SAMPLE_GAP_MAX_MS, SAMPLE_GAP_MAX_MS + 1, 40_000, HOUR_MS),
  stations: fc.array(anyStation, { minLength: 2, maxLength: 2 }),
});

function hourOf(days: ReadonlyMap<number, StationDay>, id: string, ms: number) {
  const dayMs = Math.floor(ms / DAY_MS) * DAY_MS;
  return days.get(dayMs)?.get(id)?.[Math.floor((ms - dayMs) / HOUR_MS)];
}

test('each hour has the sums of its samples, before and after a restart from its file', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 80 }), (steps) => {
      const tally = new StationTally();
      const totals = new Map<string, { fixes: number; alone: number }>();
      const events: { id: string; hourMs: number; ms: number; station: StationSample; fixes: number; alone: number }[] =
        [];
      let ms = START_MS;
      for (const [index, { laterMs, stations }] of steps.entries()) {
        ms += laterMs;
        const isKnown = index > 0 && laterMs <= SAMPLE_GAP_MAX_MS;
        const samples = stations.map(({ moreFixes, aloneShare, ...rest }, each): StationSample => {
          const id = `station-${each}`;
          const alone = Math.floor(moreFixes * aloneShare);
          const before = totals.get(id) ?? { fixes: 0, alone: 0 };
          const total = { fixes: before.fixes + moreFixes, alone: before.alone + alone };
          totals.set(id, total);
          const station = { id, simulated: each === 1, clockSpreadMs: 7, aircraft: NO_AIRCRAFT, ...rest, ...total };
          const hourMs = Math.floor(ms / HOUR_MS) * HOUR_MS;
          events.push({ id, hourMs, ms: isKnown ? laterMs : 0, station, fixes: moreFixes, alone });
          return station;
        });
        tally.sample(ms, ms, samples);
      }
      const reread = new Map([...tally.days].map(([dayMs, day]) => [dayMs, decodeDay(encodeDay(day))]));
      for (const [key, of] of Map.groupBy(events, ({ id, hourMs }) => `${id} ${hourMs}`)) {
        const [id = '', hourMs] = key.split(' ');
        const sum = (value: (event: (typeof of)[number]) => number) => of.reduce((all, each) => all + value(each), 0);
        const expected = {
          recordedMs: sum((event) => event.ms),
          notConnectedMs: sum((event) => (event.station.isConnected ? 0 : event.ms)),
          silentMs: sum(({ ms, station }) => (station.isConnected && station.quietMs > SILENT_AFTER_MS ? ms : 0)),
          fixes: sum((event) => event.fixes),
          alone: sum((event) => event.alone),
          simulated: id === 'station-1',
        };
        const hour = hourOf(tally.days, id, Number(hourMs))!;
        expect(hour).toMatchObject(expected);
        expect(hour.clockErrorMs === null).toBe(of.every(({ station }) => station.clockErrorMs === undefined));
        const again = hourOf(reread, id, Number(hourMs))!;
        expect(again).toMatchObject({ fixes: hour.fixes, alone: hour.alone, clockErrorMs: hour.clockErrorMs });
        expect(Math.abs(again.recordedMs - hour.recordedMs)).toBeLessThanOrEqual(500);
      }
      const recorded = [...tally.days.values()].flatMap((day) => [...day.values()].flat()).filter(Boolean);
      expect(recorded).toHaveLength(Map.groupBy(events, ({ id, hourMs }) => `${id} ${hourMs}`).size);
    }),
  );
});

test('a cut file is never read as a day', () => {
  const tally = new StationTally();
  for (let minute = 0; minute < 180; minute += 1) tally.sample(START_MS + minute * MINUTE_MS, minute, [quiet('a')]);
  for (const day of tally.days.values()) {
    const text = encodeDay(day);
    for (let length = 0; length < text.trimEnd().length; length += 1) {
      expect(() => decodeDay(text.slice(0, length))).toThrow();
    }
  }
});

test('a clock that is set anywhere keeps at most 31 days, and its own day', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 60 * 365 }), { minLength: 1, maxLength: 60 }), (days) => {
      const tally = new StationTally();
      for (const [steady, day] of days.entries()) {
        tally.sample(day * DAY_MS, steady, [quiet('a')]);
        expect(tally.days.size).toBeLessThanOrEqual(DAYS_KEPT);
        expect(tally.days.has(day * DAY_MS)).toBe(true);
      }
    }),
  );
});

test('thirty days of 50 busy stations take less than 5 MB', () => {
  const hour = {
    recordedMs: 3_600_000,
    notConnectedMs: 123_000,
    silentMs: 45_000,
    fixes: 9_876_543,
    alone: 1_234_567,
    clockErrorMs: -1234,
    clockSpreadMs: 321,
    simulated: false,
    aircraft: { tracks: 432, expected: 8_765_432, received: 8_654_321, own: 9_876_543, elsewhere: 12_345 },
  };
  const day: StationDay = new Map(Array.from({ length: 50 }, (_, index) => [`club-${index}`, Array(24).fill(hour)]));
  expect(30 * Buffer.byteLength(encodeDay(day))).toBeLessThan(5_000_000);
});

test('reports hours without a record as null, and a recorded hour without a fix as 0', () => {
  const tally = new StationTally();
  tally.sample(START_MS, 0, [quiet('a')]);
  tally.sample(START_MS + 2 * HOUR_MS, 1000, [quiet('a')]);
  const report = hoursReport(tally.days, undefined, START_MS + 2 * HOUR_MS, 4);
  expect(report).toMatchObject({ first_hour_at: '2026-11-23T21:00:00.000Z', hours: 4, problem: null });
  expect(report.stations).toMatchObject([
    {
      id: 'a',
      positions: [null, 0, null, 0],
      recorded_s: [null, 0, null, 1],
      clock_error_ms: [null, null, null, null],
    },
  ]);
});

function quiet(id: string): StationSample {
  return {
    id,
    simulated: false,
    isConnected: true,
    quietMs: 0,
    fixes: 0,
    alone: 0,
    clockErrorMs: undefined,
    clockSpreadMs: 0,
    aircraft: NO_AIRCRAFT,
  };
}
