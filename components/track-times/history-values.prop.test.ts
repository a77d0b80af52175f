import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TRAIL_LIMITS } from '#lib/picture/trail-joins.ts';
import { historyColumns, nearestTime } from './history-values.ts';
import { anyHistory } from './track-history.fixture.ts';

const nullWhenNaN = (value: number) => (Number.isNaN(value) ? null : value);

describe('historyColumns', () => {
  test('every observation occurs once with its reported values, and no other row has a value', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const { vertical, atMs, verticals, speeds } = historyColumns(history, 'metric');
        const observed = new Set(history.observedAtMs);
        const rows = atMs.map((at, row) => ({ at, vertical: verticals[row], speed: speeds[row] }));
        const verticalM = vertical === 'height' ? history.heightAglM : history.altitudeM;
        expect(rows.filter(({ at }) => observed.has(at))).toEqual(
          Array.from(history.observedAtMs, (at, index) => ({
            at,
            vertical: nullWhenNaN(verticalM[index] as number),
            speed: nullWhenNaN(history.speedMps[index] as number),
          })),
        );
        for (const row of rows) {
          if (!observed.has(row.at)) expect(row).toEqual({ at: row.at, vertical: null, speed: null });
        }
      }),
    );
  });

  test('times ascend, and neighbours with values are no further apart than a solid line may span', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const { atMs, verticals, speeds } = historyColumns(history, 'metric');
        const { solidMs } = TRAIL_LIMITS[history.kind];
        for (let row = 1; row < atMs.length; row++) {
          const apartMs = (atMs[row] as number) - (atMs[row - 1] as number);
          expect(apartMs).toBeGreaterThan(0);
          for (const values of [verticals, speeds]) {
            if (values[row] !== null && values[row - 1] !== null) expect(apartMs).toBeLessThanOrEqual(solidMs);
          }
        }
      }),
    );
  });

  test('there is a break only between observations further apart than a solid line may span', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const times = history.observedAtMs;
        const { solidMs } = TRAIL_LIMITS[history.kind];
        const far = times.filter((at, index) => index > 0 && at - (times[index - 1] as number) > solidMs).length;
        expect(historyColumns(history, 'metric').atMs).toHaveLength(history.count + far);
      }),
    );
  });
});

test('finds the nearest time, the earlier one of two equally near', () => {
  const times = fc.uniqueArray(fc.nat(200), { minLength: 1 }).map((list) => Float64Array.from(list).sort());
  fc.assert(
    fc.property(times, fc.integer({ min: -20, max: 220 }), (timesMs, atMs) => {
      const apart = Array.from(timesMs, (timeMs) => Math.abs(timeMs - atMs));
      expect(nearestTime(timesMs, atMs)).toBe(apart.indexOf(Math.min(...apart)));
    }),
  );
});
