import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import {
  FLAG_DRONE,
  FLAG_SIMULATED,
  FLAG_TEST,
  LABEL_NAMES,
  MAX_STEPS,
  NUMBER_NAMES,
  numberField,
} from '#lib/model/record-fields.ts';
import { addMs, epochMs } from '#lib/time/instant.ts';
import { anyPositions } from './arbitrary-position.fixture.ts';
import { columnsOf, positionsOf } from './record-columns.ts';
import { recordsOf, valueAt } from './records.ts';

const MAX_TTL_MS = MAX_STEPS;

const keyOf = ({ ref, observedAt }: Position) => `${ref} ${observedAt}`;

function distinct(positions: readonly Position[]): Map<string, Position> {
  return new Map(positions.toReversed().map((position) => [keyOf(position), position]));
}

function asEncoded(position: Position): Position {
  const { observedAt, staleAfter } = position;
  const numbers = NUMBER_NAMES.map((name) => {
    const value = position[name];
    const { stepsPerUnit } = numberField(name);
    const steps = value === undefined ? 0 : Math.max(-MAX_STEPS, Math.min(MAX_STEPS, Math.round(value * stepsPerUnit)));
    return [name, value === undefined ? undefined : steps / stepsPerUnit + 0] as const;
  });
  const ttlMs = staleAfter === undefined ? 0 : epochMs(staleAfter) - epochMs(observedAt);
  return {
    ...position,
    ...Object.fromEntries(numbers),
    staleAfter:
      staleAfter === undefined ? undefined : addMs(observedAt, Math.max(-MAX_TTL_MS, Math.min(MAX_TTL_MS, ttlMs))),
  };
}

describe('records', () => {
  test('are the positions to the nearest step; unreported values stay unreported, references, times, labels and flags exact', () => {
    fc.assert(
      fc.property(anyPositions, (positions) => {
        const known = distinct(positions);
        const decoded = positionsOf(recordsOf(positions));
        expect(decoded).toHaveLength(known.size);
        for (const position of decoded) expect(position).toEqual(asEncoded(known.get(keyOf(position)) as Position));
      }),
    );
  });

  test('do not depend on the order of the positions', () => {
    fc.assert(
      fc.property(anyPositions, (positions) => {
        const once = [...distinct(positions).values()];
        expect(recordsOf(once.toReversed())).toEqual(recordsOf(once));
      }),
    );
  });

  test('encode to the same records again', () => {
    fc.assert(
      fc.property(anyPositions, (positions) => {
        const records = recordsOf(positions);
        expect(recordsOf(positionsOf(records))).toEqual(records);
      }),
    );
  });
});

describe('columns', () => {
  test('have NaN or label 0 for unreported values', () => {
    fc.assert(
      fc.property(anyPositions, (positions) => {
        const records = recordsOf(positions);
        const columns = columnsOf(records);
        for (const [row, position] of positionsOf(records).entries()) {
          for (const name of NUMBER_NAMES) {
            expect(columns[name][row]).toBe(position[name] ?? Number.NaN);
            expect(valueAt(records, name, row)).toBe(position[name] ?? Number.NaN);
          }
          for (const name of LABEL_NAMES) expect(columns.labels[columns[name][row] as number]).toBe(position[name]);
          expect(columns.staleAfterMs[row]).toBe(position.staleAfter ?? Number.NaN);
          const flags = columns.flags[row] as number;
          expect((flags & FLAG_DRONE) !== 0).toBe(position.kind === 'drone');
          expect((flags & FLAG_SIMULATED) !== 0).toBe(position.simulated);
          expect((flags & FLAG_TEST) !== 0).toBe(position.testBroadcast);
        }
        expect(columns.labels[0]).toBeUndefined();
      }),
    );
  });

  test('of chosen rows are in the order of the choice', () => {
    fc.assert(
      fc.property(anyPositions, fc.array(fc.nat()), (positions, choices) => {
        const records = recordsOf(positions);
        const chosen = records.count === 0 ? [] : choices.map((choice) => choice % records.count);
        const [all, some] = [columnsOf(records), columnsOf(records, Uint32Array.from(chosen))];
        expect(some.refs).toEqual(chosen.map((row) => all.refs[row]));
        for (const name of [...NUMBER_NAMES, 'flags', 'observedAtMs', 'staleAfterMs'] as const) {
          expect(Array.from(some[name])).toEqual(chosen.map((row) => all[name][row]));
        }
      }),
    );
  });
});
