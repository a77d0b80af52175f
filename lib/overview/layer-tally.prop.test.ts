import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { WATCHED_AS } from '#lib/zones/stretches/watched-reception.ts';
import { BANDS, type CellBox, cellBoxOf, countedKind } from './cells.ts';
import { readHour, type StoredHour } from './hour-body.ts';
import { TALLY_LIMITS } from './hour-tally.ts';
import { type HourToStore, LayerTally } from './layer-tally.ts';
import { NaiveOverview } from './naive-overview.fixture.ts';
import { CoverageSum, sumOfHour } from './sums.ts';

const START_MS = Date.UTC(2026, 10, 21, 11, 57);
const BOX = { west: 7, south: 47, east: 8, north: 48 };
const AREAS = [BOX, { ...BOX, east: 7.5 }, { ...BOX, west: 7.25, north: 47.75 }, { ...BOX, south: 47.5, west: 7.125 }];

const observed = {
  ref: fc.nat(5).map((track) => `RX-A-${track}`),
  agoMs: fc.oneof(
    { weight: 8, arbitrary: fc.nat(20_000) },
    { weight: 1, arbitrary: fc.integer({ min: -90_000, max: 4e5 }) },
  ),
  lon: fc.double({ min: 7, max: 7.999, noNaN: true }),
  lat: fc.double({ min: 47, max: 47.999, noNaN: true }),
  altitudeM: fc.option(fc.integer({ min: -100, max: 12_000 }), { nil: undefined }),
  apart: fc.constantFrom({}, {}, {}, { simulated: true }, { testBroadcast: true }, { confidence: 'inconsistent' }),
};
const observation = fc.record(observed);
const step = {
  afterMs: fc.oneof(fc.nat(20_000), fc.nat(90_000), fc.constant(40 * 60_000)),
  area: fc.nat(AREAS.length - 1),
  observations: fc.array(observation, { maxLength: 10 }),
  again: fc.boolean(),
  isComplete: fc.boolean(),
  reported: fc.option(fc.record({ state: fc.constantFrom('ok', 'ok', 'partly', 'lost'), agoMs: fc.nat(200_000) }), {
    nil: undefined,
  }),
  event: fc.constantFrom('nothing', 'nothing', 'written', 'killed'),
};
const steps = fc.array(fc.record(step), { minLength: 1, maxLength: 40 });

/** Most reads follow each other closely, so that steps are followed. */
const closeSteps = fc.array(
  fc.record({
    ...step,
    afterMs: fc.oneof(
      { weight: 30, arbitrary: fc.integer({ min: 3000, max: 9000 }) },
      { weight: 1, arbitrary: step.afterMs },
    ),
    area: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: step.area }),
    observations: fc.array(
      fc.record({
        ...observed,
        ref: fc.nat(1).map(String),
        altitudeM: fc.constantFrom(500, 500, 500, 500, 500, 500, 2000, undefined),
        apart: fc.constantFrom({}, {}, {}, {}, {}, {}, {}, { simulated: true }),
        agoMs: fc.oneof({ weight: 9, arbitrary: fc.nat(6000) }, observed.agoMs),
      }),
      { maxLength: 3 },
    ),
    isComplete: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.boolean()),
    reported: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, step.reported),
    event: fc.oneof({ weight: 30, arbitrary: fc.constant('nothing' as const) }, step.event),
  }),
  { minLength: 20, maxLength: 90 },
);

interface World {
  readonly stored: ReadonlyMap<number, StoredHour>;
  readonly naive: NaiveOverview;
}

/** `killed` loses what was not written. */
function world(
  all: typeof steps extends fc.Arbitrary<infer Value> ? Value : never,
  cells: CellBox,
  limits = TALLY_LIMITS,
): World {
  const rows = new Map<number, HourToStore>();
  const naive = new NaiveOverview('adsb', cells);
  let tally = new LayerTally('adsb', undefined, limits);
  let crash = naive.keep();
  let [nowMs, before] = [START_MS, new Map<string, Position>()];
  const write = () => {
    const hours = tally.take(nowMs);
    for (const hour of hours) rows.set(hour.hourMs, hour);
    tally.stored(hours);
    crash = naive.keep();
  };
  for (const { afterMs, area, observations, again, isComplete, reported: said, event } of all) {
    nowMs += afterMs;
    const positions = new Map(again ? before : []);
    for (const { ref, agoMs, lon, lat, altitudeM, apart } of observations)
      positions.set(ref, {
        ...plainPosition,
        ...apart,
        ref,
        lon,
        lat,
        altitudeM,
        observedAt: upstreamInstant(nowMs - agoMs),
      });
    before = positions;
    const reported = said && { ...WATCHED_AS[said.state], sinceMs: nowMs - said.agoMs };
    const read = { key: String(area), bbox: AREAS[area] ?? BOX, positions, readMs: nowMs, isComplete, reported };
    tally.read(read);
    naive.read(read);
    if (event === 'written') write();
    if (event !== 'killed') continue;
    crash();
    const closed = [...rows.values()].filter(({ references }) => !references).map(({ hourMs }) => hourMs);
    tally = new LayerTally('adsb', Math.max(...closed), limits);
    for (const { hourMs, untilMs, body, references } of [...rows.values()].sort((a, b) => a.hourMs - b.hourMs))
      if (references) tally.restore({ hourMs, untilMs, references, hour: readHour(body) });
    write();
  }
  write();
  return { stored: new Map([...rows].map(([hourMs, { body }]) => [hourMs, readHour(body)])), naive };
}

/** Bands that are added up; a reference in several of them counts once. */
const someBands = fc.option(fc.subarray([0, 1, 2, 3, 4, 5]), { nil: undefined });

const HOURS = [-1, 0, 1, 2, 3, 4, 5, 6].map((hour) => Date.UTC(2026, 10, 21, 11 + hour));

function receivedIn({ positions, referenceHours }: CoverageSum): ReadonlyMap<number, readonly [number, number]> {
  const found = new Map<number, readonly [number, number]>();
  positions[0]?.forEach((count, index) => {
    if (count > 0) found.set(index, [count, referenceHours[index] as number]);
  });
  return found;
}

describe('a tally of an hour', () => {
  test('equals a naive count of every observation, whatever is repeated, late, out of order or lost in a crash', () => {
    const cells = cellBoxOf(BOX, 3);
    fc.assert(
      fc.property(steps, someBands, (all, bands) => {
        const { stored, naive } = world(all, cells);
        for (const hourMs of HOURS) {
          const expected = naive.cellsOf(hourMs, bands);
          const sum = new CoverageSum(cells, bands);
          const hour = stored.get(hourMs);
          if (hour) sum.add(hour);
          expect(receivedIn(sum)).toEqual(expected);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('has the received and missed steps between receptions of a naive walk, in any height bands', () => {
    const cells = cellBoxOf(BOX, 6);
    let [received, missed] = [0, 0];
    fc.assert(
      fc.property(closeSteps, someBands, (all, bands) => {
        const { stored, naive } = world(all, cells);
        for (const hourMs of HOURS) {
          const sum = new CoverageSum(cells, bands, true);
          const hour = stored.get(hourMs);
          if (hour) sum.add(hour);
          const found = new Map<number, readonly [number, number]>();
          sum.measured?.followed.forEach((followed, index) => {
            const receivedHere = sum.measured?.received[index] as number;
            if (followed > 0) found.set(index, [receivedHere, followed]);
            received += receivedHere;
            missed += followed - receivedHere;
          });
          expect(found).toEqual(naive.stepsOf(hourMs, bands));
        }
      }),
      { numRuns: 200 },
    );
    expect(Math.min(received, missed)).toBeGreaterThan(100);
  });

  test('has the watched time of every place to a second for each write, and a crash leaves the time since unwatched', () => {
    const cells = cellBoxOf(BOX, 3);
    fc.assert(
      fc.property(steps, (all) => {
        const { stored, naive } = world(all, cells);
        for (const hourMs of HOURS) {
          const sum = new CoverageSum(cells);
          const hour = stored.get(hourMs);
          if (hour) sum.add(hour);
          const { watchedS, partlyS } = sum.watched();
          for (const index of [0, 5, 9, 20, 31, 500, 700, 1000]) {
            const [lon, lat] = [7 + ((index % 32) + 0.5) / 32, 47 + (Math.floor(index / 32) + 0.5) / 32];
            const { watched, partly } = naive.watchedMs(lon, lat, hourMs);
            expect(Math.abs((watchedS[index] as number) - watched / 1000)).toBeLessThanOrEqual(2);
            expect(Math.abs((partlyS[index] as number) - partly / 1000)).toBeLessThanOrEqual(2);
            if (watched + partly === 0) expect((watchedS[index] as number) + (partlyS[index] as number)).toBe(0);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('counts distinct references and what is apart in an area', () => {
    const cells = cellBoxOf({ west: 7.25, south: 47.25, east: 7.75, north: 47.75 }, 4);
    fc.assert(
      fc.property(steps, someBands, (all, bands) => {
        const { stored, naive } = world(all, cells);
        for (const [hourMs, hour] of stored) {
          const isIn = Uint8Array.from({ length: cells.columns * cells.rows }, (_, index) =>
            (cells.column + (index % cells.columns) + cells.row + Math.floor(index / cells.columns)) % 3 === 0 ? 0 : 1,
          );
          const { classes } = sumOfHour(hour, { cells, isIn }, bands);
          const inside = naive.received.filter(({ hourMs: at, position }) => {
            const { lon, lat } = position;
            if (bands && !bands.includes(countedKind('adsb', position) % BANDS)) return false;
            const [column, row] = [Math.floor((lon + 180) * 16), Math.floor((lat + 90) * 16)];
            const isIn = lon >= 7.25 && lon < 7.75 && lat >= 47.25 && lat < 47.75;
            return at === hourMs && isIn && (column + row) % 3 !== 0;
          });
          const kinds = [
            inside.filter(({ position: p }) => !p.simulated && !p.testBroadcast && p.confidence !== 'inconsistent'),
            inside.filter(({ position }) => position.simulated),
            inside.filter(({ position }) => position.testBroadcast),
            inside.filter(({ position }) => position.confidence === 'inconsistent'),
          ];
          expect(classes).toEqual(
            kinds.map((its) => ({
              positions: its.length,
              references: new Set(its.map(({ ref }) => ref)).size,
              referencesError: undefined,
            })),
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  test('stays within its limits by larger cells and then fewer references, with exact positions', () => {
    const cells = cellBoxOf(BOX, 8);
    const limits = { ...TALLY_LIMITS, finePairs: { rid: 4, adsb: 4 }, pairs: 5, cells: 12 };
    fc.assert(
      fc.property(steps, (all) => {
        const { stored, naive } = world(all, cells, limits);
        for (const [hourMs, hour] of stored) {
          const sum = new CoverageSum(cells);
          sum.add(hour);
          expect(sum.positions[0]?.[0]).toBe(naive.cellsOf(hourMs).get(0)?.[0] ?? 0);
          expect(hour.paths.length).toBeLessThanOrEqual(Math.max(limits.pairs, hour.counts.length));
          if (hour.sampling > 0) expect(hour.size).toBeGreaterThanOrEqual(5);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('reads back cells all over the world, which a grid cannot number', () => {
    const place = fc.record({
      lon: fc.double({ min: -180, max: 180, noNaN: true }),
      lat: fc.double({ min: -90, max: 90, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 30 }), (places) => {
        const tally = new LayerTally('rid');
        const positions = new Map(
          places.map((at, index) => [
            String(index),
            { ...plainPosition, ...at, ref: `RX-A-${index % 3}`, observedAt: upstreamInstant(START_MS + index) },
          ]),
        );
        const world = { west: -180, south: -90, east: 180, north: 90 };
        tally.read({ key: 'w', bbox: world, positions, readMs: START_MS, isComplete: true });
        const hour = readHour(tally.take(START_MS)[0]!.body);
        const cells = [...hour.columns].map((column, cell) => `${column} ${hour.rows[cell]}`);
        const expected = places.map(
          ({ lon, lat }) =>
            `${Math.floor((lon + 180) * 256) % 92_160} ${Math.min(46_079, Math.floor((lat + 90) * 256))}`,
        );
        expect(new Set(cells)).toEqual(new Set(expected));
        expect(hour.counts.reduce((sum, count) => sum + count)).toBe(places.length);
      }),
    );
  });

  test('late positions are counted apart, once', () => {
    const tally = new LayerTally('adsb');
    const read = (minutes: number, agoMinutes: number) => {
      const readMs = START_MS + minutes * 60_000;
      const position = {
        ...plainPosition,
        lon: 7.1,
        lat: 47.1,
        observedAt: upstreamInstant(readMs - agoMinutes * 60_000),
      };
      tally.read({ key: 'a', bbox: BOX, positions: new Map([['r', position]]), readMs, isComplete: true });
    };
    read(0, 0);
    read(9, 10.5);
    read(9.5, 11);
    const [, current] = tally.take(START_MS + HOUR_MS / 4);
    expect(readHour(current!.body).late).toBe(1);
  });
});
