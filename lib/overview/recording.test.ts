import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hash53 } from '#lib/model/hash53.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { openRecordings } from '#service/sources/recording/open-recordings.ts';
import { type CellBox, cellBoxOf, countedKind } from './cells.ts';
import { STEP_MS } from './followed-steps.ts';
import { readHour, type StoredHour } from './hour-body.ts';
import { LayerTally } from './layer-tally.ts';
import { NaiveOverview } from './naive-overview.fixture.ts';
import { CoverageSum } from './sums.ts';

const SWISS = join(import.meta.dirname, '../../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');
const START = upstreamInstant(Date.UTC(2026, 10, 1, 12));
const BLACKROCK = join(import.meta.dirname, '../../../shared/recordings/adsb-readsb_blackrock_20230829.jsonl.gz');
const BOX = { west: 5.5, south: 45.5, east: 11, north: 48 };
const WORLD = { west: -180, south: -90, east: 180, north: 90 };
const READ_MS = 5 * SECOND_MS;

test.skipIf(!existsSync(SWISS))(
  'an hour of the Swiss recording has the counts and watched time of a naive count (skipped without the recordings next to the project)',
  async () => {
    const { source } = await openRecordings({ files: [SWISS], anchor: START });
    const cells = cellBoxOf(BOX, 5);
    const [tally, naive] = [new LayerTally('adsb'), new NaiveOverview('adsb', cells)];
    const newest = new Map<string, Position>();
    const window = { start: addMs(START, -READ_MS), end: addMs(START, HOUR_MS) };
    const { observations } = source.history('adsb', BOX, window, 2_000_000);
    let next = 0;
    for (let readMs = epochMs(START); readMs <= epochMs(START) + HOUR_MS; readMs += READ_MS) {
      for (; next < observations.length && epochMs(observations[next]!.observedAt) < readMs; next++) {
        const { sourceId: ref, observedAt, lon, lat, altitudeM } = observations[next]!;
        newest.set(ref, { ...plainPosition, ref, observedAt, lon, lat, altitudeM: altitudeM ?? undefined });
      }
      for (const [ref, { observedAt }] of newest) if (epochMs(observedAt) < readMs - 60_000) newest.delete(ref);
      const read = { key: 'ch', bbox: BOX, positions: new Map(newest), readMs, isComplete: true };
      tally.read(read);
      naive.read(read);
    }
    const hours = tally.take(epochMs(addMs(START, HOUR_MS)));
    for (const { hourMs, body } of hours) {
      for (const bands of [undefined, [0], [1], [2, 3], [4], [5]]) {
        const sum = new CoverageSum(cells, bands);
        sum.add(readHour(body));
        const expected = naive.cellsOf(hourMs, bands);
        expect(sum.positions[0]?.reduce((all, count) => all + count)).toBe(
          [...expected.values()].reduce((all, [count]) => all + count, 0),
        );
        for (const [cell, counts] of expected)
          expect([sum.positions[0]?.[cell], sum.referenceHours[cell]]).toEqual(counts);
      }
    }
    const whole = new CoverageSum(cells);
    whole.add(readHour(hours.find(({ hourMs }) => hourMs === epochMs(START))!.body));
    expect(naive.received.length).toBeGreaterThan(10_000);
    expect(whole.watched().watchedS[cells.columns + 1]).toBe(3600);
    expect(whole.watched().watchedS[0]).toBe(3600);
  },
);

/** Measured reception of a recording that is read every 5 s. */
function measuredOver(positions: readonly Position[], untilMs: number) {
  const tally = new LayerTally('adsb');
  const newest = new Map<string, Position>();
  const hours = new Map<number, StoredHour>();
  let next = 0;
  for (let readMs = epochMs(START); readMs < untilMs; readMs += READ_MS) {
    for (; next < positions.length && epochMs(positions[next]!.observedAt) < readMs; next++)
      newest.set(positions[next]!.ref, positions[next]!);
    for (const [ref, { observedAt }] of newest) if (epochMs(observedAt) < readMs - MINUTE_MS) newest.delete(ref);
    tally.read({ key: 'all', bbox: WORLD, positions: new Map(newest), readMs, isComplete: true });
  }
  for (const { hourMs, body } of tally.take(untilMs + HOUR_MS)) hours.set(hourMs, readHour(body));
  return (cells: CellBox, band: number) => {
    const sum = new CoverageSum(cells, [band], true);
    for (const hour of hours.values()) sum.add(hour);
    return sum.measured!;
  };
}

/** Fewer are noise, also over 16 rounds. */
const STEPS_MIN = 300;
/** By band. Steps are kept as a whole: one with any of its positions is received. */
const KEPT = [0.2, 0.5, 0.8, 0.35, 0.65];

test.skipIf(!existsSync(SWISS)).each([
  { name: 'Swiss', file: SWISS, box: { west: 6, south: 46, east: 10, north: 48 }, hours: 2, rounds: 16 },
  { name: 'Nevada', file: BLACKROCK, box: { west: -124, south: 38, east: -114, north: 44 }, hours: 1, rounds: 16 },
])(
  'shares of steps that are deleted from the $name recording are returned within 2 points (skipped without the recordings)',
  async ({ file, box, hours, rounds }) => {
    const { source } = await openRecordings({ files: [file], anchor: addMs(START, (hours * HOUR_MS) / 2) });
    const window = { start: START, end: addMs(START, hours * HOUR_MS) };
    const { observations } = source.history('adsb', WORLD, window, 2_000_000);
    const positions = observations.map((each): Position => {
      const { sourceId: ref, observedAt, lon, lat, altitudeM } = each;
      return { ...plainPosition, ref, observedAt, lon, lat, altitudeM: altitudeM ?? undefined };
    });
    const isKept = (position: Position, round: number) => {
      const step = Math.floor(epochMs(position.observedAt) / STEP_MS);
      return seededUnit(hash53(position.ref), round, step) < KEPT[countedKind('adsb', position)]!;
    };
    const untilMs = epochMs(window.end);
    const all = measuredOver(positions, untilMs);
    const kept = Array.from({ length: rounds }, (_, round) =>
      measuredOver(
        positions.filter((position) => isKept(position, round)),
        untilMs,
      ),
    );
    const offs: number[] = [];
    for (const [band, share] of KEPT.entries()) {
      for (const cells of [6, 7, 8, 9].map((size) => cellBoxOf(box, size))) {
        const full = all(cells, band);
        const found = kept.map((measured) => measured(cells, band));
        full.followed.forEach((followed, cell) => {
          if (followed < STEPS_MIN) return;
          const [received, of] = [
            sumOf(found.map((each) => each.received[cell]!)),
            sumOf(found.map((each) => each.followed[cell]!)),
          ];
          offs.push(received / of - (full.received[cell]! / followed) * share);
        });
      }
    }
    expect(offs.length).toBeGreaterThan(5);
    expect(Math.max(...offs.map(Math.abs))).toBeLessThan(0.02);
  },
  60_000,
);

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
