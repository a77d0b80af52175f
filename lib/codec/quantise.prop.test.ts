import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { epochMs } from '#lib/time/instant.ts';
import { anyPositions } from './arbitrary-position.fixture.ts';
import { quantise } from './quantise.ts';
import { type QuantisedRecords, referenceAt, valueAt } from './quantised-records.ts';

/** Half the stated step: 1e-6°, 0.01 m, 0.01 m/s, 0.1°. */
const MAX_ERROR = { lon: 5e-7, lat: 5e-7, altitudeM: 0.005, heightAglM: 0.005, speedMps: 0.005, headingDeg: 0.05 };
const ROUNDING = 1 + 1e-6;

const names = Object.keys(MAX_ERROR) as (keyof typeof MAX_ERROR)[];

function forEach(
  positions: readonly Position[],
  check: (position: Position, records: QuantisedRecords, index: number) => void,
) {
  const records = quantise(positions);
  const last = new Map(positions.map((position) => [position.ref, position]));
  expect(records.count).toBe(last.size);
  for (let index = 0; index < records.count; index++)
    check(last.get(referenceAt(records, index)) as Position, records, index);
}

const forAnyPositions = (check: Parameters<typeof forEach>[1]) =>
  fc.assert(fc.property(anyPositions, (positions) => forEach(positions, check)));

describe('quantise', () => {
  test('a measured value differs by at most half a step', () => {
    forAnyPositions((position, records, index) => {
      for (const name of names) {
        const value = position[name];
        if (value === undefined) continue;
        const error = Math.abs(valueAt(records, name, index) - value);
        expect(error).toBeLessThanOrEqual(MAX_ERROR[name] * ROUNDING);
      }
    });
  });

  test('unreported values stay unreported, and reported values stay reported', () => {
    forAnyPositions((position, records, index) => {
      for (const name of [...names, 'confidenceScore', 'receiverCount'] as const) {
        expect(Number.isNaN(valueAt(records, name, index))).toBe(position[name] === undefined);
      }
      expect(Number.isNaN(valueAt(records, 'ttlMs', index))).toBe(position.staleAfter === undefined);
    });
  });

  test('scores, counts and negative zeros are preserved exactly', () => {
    forAnyPositions((position, records, index) => {
      for (const name of ['confidenceScore', 'receiverCount'] as const) {
        expect(valueAt(records, name, index)).toBe(position[name] ?? Number.NaN);
      }
      for (const name of names) if (Object.is(position[name], -0)) expect(valueAt(records, name, index)).toBe(-0);
    });
  });

  test('references of any form, times, labels, kind and flags are preserved exactly', () => {
    forAnyPositions((position, records, index) => {
      expect(referenceAt(records, index)).toBe(position.ref);
      expect(records.observedAtMs[index]).toBe(position.observedAt);
      if (position.staleAfter !== undefined) {
        expect(epochMs(position.observedAt) + valueAt(records, 'ttlMs', index)).toBe(position.staleAfter);
      }
      expect(records.labels[records.labelIndexes.confidence[index] as number]).toBe(position.confidence);
      expect(records.labels[records.labelIndexes.emergencyState[index] as number]).toBe(position.emergencyState);
      expect(records.flags[index]).toBe(
        (position.kind === 'drone' ? FLAG_DRONE : 0) |
          (position.simulated ? FLAG_SIMULATED : 0) |
          (position.testBroadcast ? FLAG_TEST : 0),
      );
    });
  });

  test('the order of the positions does not matter', () => {
    fc.assert(
      fc.property(anyPositions, (positions) => {
        const once = Array.from(new Map(positions.map((position) => [position.ref, position])).values());
        expect(quantise(once.toReversed())).toEqual(quantise(once));
      }),
    );
  });
});
