import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { anyPositions } from './arbitrary-position.fixture.ts';
import { quantise } from './quantise.ts';
import { valueAt } from './quantised-records.ts';
import { columnsOf, positionsOf } from './record-columns.ts';

const quantities = [
  'lon',
  'lat',
  'altitudeM',
  'heightAglM',
  'speedMps',
  'headingDeg',
  'confidenceScore',
  'receiverCount',
] as const;

test('each record is in the columns as quantised, with NaN or label 0 for unreported values', () => {
  fc.assert(
    fc.property(anyPositions, (positions) => {
      const records = quantise(positions);
      const columns = columnsOf(records, undefined);
      const byRef = new Map(positions.map((position) => [position.ref, position]));
      expect(new Set(columns.refs)).toEqual(new Set(byRef.keys()));
      expect(columns.count).toBe(byRef.size);
      for (const [index, ref] of columns.refs.entries()) {
        const position = byRef.get(ref) as Position;
        expect(columns.labels[columns.confidence[index] as number]).toBe(position.confidence);
        expect(columns.labels[columns.emergencyState[index] as number]).toBe(position.emergencyState);
        expect(columns.observedAtMs[index]).toBe(position.observedAt);
        expect(columns.staleAfterMs[index]).toBe(position.staleAfter ?? Number.NaN);
        for (const name of quantities) {
          expect(columns[name][index]).toBe(valueAt(records, name, index));
          expect(Number.isNaN(columns[name][index])).toBe(position[name] === undefined);
        }
        const flags = columns.flags[index] as number;
        expect((flags & FLAG_DRONE) !== 0).toBe(position.kind === 'drone');
        expect((flags & FLAG_SIMULATED) !== 0).toBe(position.simulated);
        expect((flags & FLAG_TEST) !== 0).toBe(position.testBroadcast);
      }
      expect(columns.labels[0]).toBeUndefined();
    }),
  );
});

test('a choice of records gives their rows, in the order of the choice', () => {
  fc.assert(
    fc.property(anyPositions, fc.array(fc.nat()), (positions, choices) => {
      const records = quantise(positions);
      const wanted = Uint32Array.from(records.count === 0 ? [] : choices, (choice) => choice % records.count);
      const all = columnsOf(records, undefined);
      const some = columnsOf(records, wanted);
      const chosen = Array.from(wanted);
      expect(some.count).toBe(wanted.length);
      expect(some.refs).toEqual(chosen.map((index) => all.refs[index]));
      for (const name of [...quantities, 'flags', 'observedAtMs', 'staleAfterMs'] as const) {
        expect(Array.from(some[name])).toEqual(chosen.map((index) => all[name][index]));
      }
    }),
  );
});

test('decoded positions encode to the same records again', () => {
  fc.assert(
    fc.property(anyPositions, (positions) => {
      const records = quantise(positions);
      const again = positionsOf(records);
      expect(quantise(again)).toEqual(records);
      const byRef = new Map(positions.map((position) => [position.ref, position]));
      for (const position of again) {
        const { kind, confidence, emergencyState, simulated, testBroadcast } = byRef.get(position.ref) as Position;
        expect(position).toMatchObject({ kind, confidence, emergencyState, simulated, testBroadcast });
      }
    }),
  );
});
