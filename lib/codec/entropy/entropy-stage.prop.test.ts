import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rangeStage } from './range-stage.ts';

function coded(...columns: readonly (readonly number[])[]): Uint8Array {
  const encoder = rangeStage.encoder();
  for (const column of columns) encoder.write(Float64Array.from(column));
  return encoder.finish();
}

function decoded(bytes: Uint8Array, ...lengths: readonly number[]): number[][] {
  const decoder = rangeStage.decoder(bytes);
  return lengths.map((length) => {
    const column = new Float64Array(length);
    decoder.read(column);
    return [...column];
  });
}

const anyInteger = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -0xffffffff, max: 0xffffffff }),
  fc.constantFrom(0, 1, -1, 2 ** 31, -(2 ** 31), 0xffffffff, -0xffffffff),
);

describe('rangeStage', () => {
  test('columns come back as they were written, whatever the lengths and signs of their integers', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyInteger, { maxLength: 300 }), { maxLength: 4 }), (columns) => {
        expect(decoded(coded(...columns), ...columns.map(({ length }) => length))).toEqual(columns);
      }),
      { numRuns: 500 },
    );
  });

  test('long runs of one value carry through bytes that are pending', () => {
    const run = fc.tuple(anyInteger, fc.integer({ min: 1, max: 2000 }));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 6 }), (runs) => {
        const values = runs.flatMap(([value, count]) => Array<number>(count).fill(value));
        expect(decoded(coded(values), values.length)).toEqual([values]);
      }),
    );
  });

  test('a thousand equal values cost less than a tenth of a bit each', () => {
    expect(coded(Array<number>(1000).fill(0)).length).toBeLessThan(11);
  });

  test('random values cost little more than their bits', () => {
    const values = Array.from({ length: 4000 }, (_, index) => Math.imul(index + 1, 0x9e3779b1) >> 12);
    expect(coded(values).length / values.length).toBeLessThan((20 + 0.5) / 8);
  });

  test('any bytes are some integers: the decoder never stops or fails', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        for (const value of decoded(bytes, 500).flat()) expect(Math.abs(value)).toBeLessThanOrEqual(0xffffffff);
      }),
    );
  });
});
