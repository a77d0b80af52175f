import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteReader, DamagedBytes } from './bytes.ts';
import {
  openColumn,
  readColumn,
  readDifferences,
  readRuns,
  runsOf,
  writeColumn,
  writeDifferences,
  writePlanes,
} from './column.ts';
import { UNREPORTED } from './unreported.ts';

const value = fc.oneof(
  fc.integer({ min: -300, max: 300 }),
  fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 }),
  fc.constant(UNREPORTED),
);
const row = fc.record({ atMs: fc.nat(300_000), value });
const run = fc.record({ before: value, rows: fc.array(row, { minLength: 1, maxLength: 12 }) });
const column = fc
  .tuple(fc.array(run, { maxLength: 8 }), fc.boolean(), fc.boolean())
  .map(([all, hasTimes, hasBefore]) => {
    const rows = all.flatMap((each) => each.rows.toSorted((a, b) => a.atMs - b.atMs));
    return {
      values: Int32Array.from(rows, (each) => each.value),
      runs: runsOf(Uint32Array.from(all, (each) => each.rows.length)),
      known: {
        times: hasTimes ? Int32Array.from(rows, ({ atMs }) => atMs) : undefined,
        before: hasBefore ? Int32Array.from(all, ({ before }) => before) : undefined,
      },
    };
  });

const bytesOf = (pieces: readonly Uint8Array[]) => Uint8Array.from(pieces.flatMap((piece) => [...piece]));

describe('a column', () => {
  test('comes back, unreported values as such, whatever its predictions know', () => {
    fc.assert(
      fc.property(column, ({ values, runs, known }) => {
        const reader = new ByteReader(bytesOf(writeColumn(values, runs, known)));
        expect(readColumn(reader, runs, known)).toEqual(values);
        reader.end();
      }),
    );
  });

  test('decodes any run alone', () => {
    fc.assert(
      fc.property(column, fc.nat(), ({ values, runs, known }, choice) => {
        if (runs.rows === 0) return;
        const chosen = choice % runs.lengths.length;
        const opened = openColumn(new ByteReader(bytesOf(writeColumn(values, runs, known))), runs, known);
        opened.decode(chosen);
        const [start, end] = [runs.starts[chosen]!, runs.starts[chosen]! + runs.lengths[chosen]!];
        expect(opened.values.slice(start, end)).toEqual(values.slice(start, end));
      }),
    );
  });

  test('that is damaged is read as something, or refused by name', () => {
    fc.assert(
      fc.property(column, fc.nat(), fc.nat(255), fc.boolean(), ({ values, runs, known }, at, byte, isCut) => {
        const bytes = bytesOf(writeColumn(values, runs, known));
        const damaged = isCut ? bytes.slice(0, at % bytes.length) : bytes.with(at % bytes.length, byte);
        try {
          readColumn(new ByteReader(damaged), runs, known);
        } catch (error) {
          expect(error).toBeInstanceOf(DamagedBytes);
        }
      }),
    );
  });
});

test('differences come back, and wrap at 32 bits', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (numbers) => {
      const reader = new ByteReader(writeDifferences(Int32Array.from(numbers)));
      expect([...readDifferences(reader, numbers.length)]).toEqual(numbers);
      reader.end();
    }),
  );
});

test('runs that are empty, or have too many rows, are refused by name', () => {
  const read = (lengths: readonly number[]) =>
    readRuns(new ByteReader(writePlanes(Uint32Array.from(lengths))), lengths.length, 10);
  expect(read([3, 1, 6])).toEqual({ lengths: Uint32Array.of(3, 1, 6), starts: Uint32Array.of(0, 3, 4), rows: 10 });
  expect(() => read([3, 0, 6])).toThrow(DamagedBytes);
  expect(() => read([3, 2, 6])).toThrow(DamagedBytes);
});
