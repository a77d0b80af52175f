import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TrackSeries } from './track-series.ts';

const runs = fc
  .uniqueArray(fc.integer({ min: 0, max: 500 }), { maxLength: 120 })
  .chain((times) =>
    fc.array(fc.nat(7), { minLength: times.length, maxLength: times.length }).map((to) => ({ times, to })),
  )
  .map(({ times, to }) =>
    Array.from({ length: 8 }, (_, run) => times.filter((_time, index) => to[index] === run).sort((a, b) => a - b)),
  );

function seriesOf(list: readonly (readonly number[])[]): TrackSeries {
  const series = new TrackSeries();
  let row = 0;
  for (const run of list) {
    series.insert(Int32Array.from(run), 0, run.length, row);
    row += run.length;
  }
  return series;
}

describe('TrackSeries', () => {
  test('is always in order, and each time keeps its row', () => {
    fc.assert(
      fc.property(runs, (list) => {
        const series = seriesOf(list);
        const expected = list.flat().map((timeMs, row) => ({ timeMs, row }));
        const entries = Array.from({ length: series.count }, (_, at) => ({
          timeMs: series.timeMs(at),
          row: series.row(at),
        }));
        expect(entries).toEqual(expected.sort((a, b) => a.timeMs - b.timeMs));
      }),
    );
  });

  test('finds the last observation at or before a time, wherever the search starts', () => {
    fc.assert(
      fc.property(runs, fc.integer({ min: -5, max: 505 }), fc.integer({ min: -3, max: 130 }), (list, timeMs, near) => {
        const sorted = list.flat().sort((a, b) => a - b);
        expect(seriesOf(list).lastAtOrBefore(timeMs, near)).toBe(sorted.findLastIndex((each) => each <= timeMs));
        expect(seriesOf(list).has(timeMs)).toBe(sorted.includes(timeMs));
      }),
    );
  });
});
