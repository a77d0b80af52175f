import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { openRecordings } from '#service/sources/recording/open-recordings.ts';
import { cellBoxOf } from './cells.ts';
import { readHour } from './hour-body.ts';
import { LayerTally } from './layer-tally.ts';
import { NaiveOverview } from './naive-overview.fixture.ts';
import { CoverageSum } from './sums.ts';

const SWISS = join(import.meta.dirname, '../../../shared/recordings/adsb-traffic_switzerland_20180801.jsonl.gz');
const START = upstreamInstant(Date.UTC(2026, 10, 1, 12));
const BOX = { west: 5.5, south: 45.5, east: 11, north: 48 };
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
