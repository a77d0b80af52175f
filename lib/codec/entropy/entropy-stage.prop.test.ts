import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EntropyStage } from './entropy-stage.ts';
import { rangeStage } from './range-stage.ts';
import { varintStage } from './varint-stage.fixture.ts';

function coded(stage: EntropyStage, ...columns: readonly (readonly number[])[]): Uint8Array {
  const encoder = stage.encoder();
  for (const column of columns) encoder.write(Float64Array.from(column));
  return encoder.finish();
}

function decoded(stage: EntropyStage, bytes: Uint8Array, ...lengths: readonly number[]): number[][] {
  const decoder = stage.decoder(bytes);
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

describe.each([
  ['the range coder', rangeStage],
  ['varints', varintStage],
])('%s', (_, stage) => {
  test('columns are decoded as they were written, for integers of any length and sign', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyInteger, { maxLength: 300 }), { maxLength: 4 }), (columns) => {
        const lengths = columns.map(({ length }) => length);
        expect(decoded(stage, coded(stage, ...columns), ...lengths)).toEqual(columns);
      }),
      { numRuns: 300 },
    );
  });

  test('so are columns of 32-bit integers', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 100 }), (values) => {
        const encoder = stage.encoder();
        encoder.write(Int32Array.from(values));
        const column = new Int32Array(values.length);
        stage.decoder(encoder.finish()).read(column);
        expect([...column]).toEqual(values);
      }),
    );
  });

  test('any bytes decode to integers: the decoder never hangs or throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(decoded(stage, bytes, 100, 0, 400).flat().every(Number.isInteger)).toBe(true);
      }),
    );
  });
});

describe('the range coder', () => {
  test('carries propagate through pending bytes in long runs of one value', () => {
    const run = fc.tuple(anyInteger, fc.integer({ min: 1, max: 2000 }));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 6 }), (runs) => {
        const values = runs.flatMap(([value, count]) => Array<number>(count).fill(value));
        expect(decoded(rangeStage, coded(rangeStage, values), values.length)).toEqual([values]);
      }),
    );
  });

  test('a thousand equal values cost less than a tenth of a bit each', () => {
    expect(coded(rangeStage, Array<number>(1000).fill(0)).length).toBeLessThan(11);
  });

  test('random values take little more than their own bits', () => {
    const values = Array.from({ length: 4000 }, (_, index) => Math.imul(index + 1, 0x9e3779b1) >> 12);
    expect(coded(rangeStage, values).length / values.length).toBeLessThan((20 + 0.5) / 8);
  });
});
