import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainRecord } from '../../../api/arbitrary-record.fixture.ts';
import { observationColumns } from './observation-columns.fixture.ts';
import { ObservationRows } from './observation-rows.ts';

function kept(change: Partial<typeof plainRecord>): { rows: ObservationRows['read']; row: number } {
  const rows = new ObservationRows();
  return { rows: rows.read, row: rows.appender(observationColumns([{ ...plainRecord, ...change }]))(0, 0) };
}
const decimals = (max: number, places: number) =>
  fc.integer({ min: -max * 10 ** places, max: max * 10 ** places }).map((steps) => steps / 10 ** places);

describe('ObservationRows', () => {
  test('coordinates are kept to 1e-6°', () => {
    fc.assert(
      fc.property(decimals(180, 6), decimals(90, 6), (longitude, latitude) => {
        const { rows, row } = kept({ longitude, latitude });
        expect([rows.lon(row), rows.lat(row)]).toEqual([longitude, latitude]);
      }),
    );
  });

  test('altitude, height and speed are kept to two decimals, scores to six', () => {
    fc.assert(
      fc.property(decimals(50_000, 2), decimals(50_000, 2), decimals(2000, 2), decimals(1, 6), (a, h, s, score) => {
        const { rows, row } = kept({ altitude_m: a, height_agl_m: h, speed_mps: s, confidence_score: score });
        expect([rows.altitudeM(row), rows.heightAglM(row), rows.speedMps(row), rows.confidenceScore(row)]).toEqual([
          a,
          h,
          s,
          score,
        ]);
      }),
    );
  });

  test('headings are kept to a tenth of a degree, even invalid ones such as 361', () => {
    fc.assert(
      fc.property(decimals(3000, 1), (heading) => {
        const { rows, row } = kept({ heading_deg: heading });
        expect(rows.headingDeg(row)).toBe(heading);
      }),
    );
  });

  test('zero and "not reported" are distinct in every column', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, null), { minLength: 6, maxLength: 6 }), (values) => {
        const [a, h, s, heading, score, receivers] = values as [number, number, number, number, number, number];
        const { rows, row } = kept({
          altitude_m: a,
          height_agl_m: h,
          speed_mps: s,
          heading_deg: heading,
          confidence_score: score,
          receiver_count: receivers,
        });
        expect([
          rows.altitudeM(row),
          rows.heightAglM(row),
          rows.speedMps(row),
          rows.headingDeg(row),
          rows.confidenceScore(row),
          rows.receiverCount(row),
        ]).toEqual(values.map((value) => value ?? Number.NaN));
      }),
    );
  });

  test('values beyond a column’s range are clamped, and never become "not reported" or change sign', () => {
    for (const value of [1e12, -1e12]) {
      const { rows, row } = kept({ altitude_m: value, speed_mps: value, heading_deg: value, receiver_count: value });
      expect(Math.sign(rows.headingDeg(row))).toBe(Math.sign(value));
      expect(rows.receiverCount(row)).toBe(value < 0 ? -32_767 : 32_767);
      expect(Math.sign(rows.altitudeM(row))).toBe(Math.sign(value));
      expect(Math.abs(rows.altitudeM(row))).toBeGreaterThan(2e6);
      expect(Math.abs(rows.speedMps(row))).toBeGreaterThan(2e6);
    }
  });

  test('rows are kept apart across the edges of blocks', () => {
    const rows = new ObservationRows();
    const columns = observationColumns([plainRecord, { ...plainRecord, longitude: -1, receiver_count: 7 }]);
    const append = rows.appender(columns);
    const given = Array.from({ length: 70_000 }, (_, row) => append(row & 1, row));
    expect(given.findIndex((row, index) => row !== index)).toBe(-1);
    for (const row of [0, 32_766, 32_767, 32_768, 65_535, 65_536, 69_999]) {
      expect([rows.read.lon(row), rows.read.receiverCount(row), rows.labelSet(row)]).toEqual(
        row & 1 ? [-1, 7, row] : [plainRecord.longitude, Number.NaN, row],
      );
    }
  });
});
