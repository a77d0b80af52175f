import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AdaptiveIntegers } from './adaptive-integers.ts';
import { ByteWriter } from './byte-writer.ts';
import { RangeDecoder } from './range-decoder.ts';
import { RangeEncoder } from './range-encoder.ts';

function coded(values: readonly number[]): Uint8Array {
  const writer = new ByteWriter();
  const encoder = new RangeEncoder(writer);
  const integers = new AdaptiveIntegers();
  for (const value of values) integers.write(encoder, value);
  encoder.finish();
  return writer.written();
}

function decoded(bytes: Uint8Array, count: number): number[] {
  const decoder = new RangeDecoder(bytes);
  const integers = new AdaptiveIntegers();
  return Array.from({ length: count }, () => integers.read(decoder));
}

const anyInteger = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -0xffffffff, max: 0xffffffff }),
  fc.constantFrom(0, 1, -1, 2 ** 31, -(2 ** 31), 0xffffffff, -0xffffffff),
);

describe('AdaptiveIntegers', () => {
  test('come back as they were written, whatever their lengths and signs', () => {
    fc.assert(
      fc.property(fc.array(anyInteger, { maxLength: 300 }), (values) => {
        expect(decoded(coded(values), values.length)).toEqual(values);
      }),
      { numRuns: 500 },
    );
  });

  test('long runs of one value carry through bytes that are held back', () => {
    const run = fc.tuple(anyInteger, fc.integer({ min: 1, max: 2000 }));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 6 }), (runs) => {
        const values = runs.flatMap(([value, count]) => Array<number>(count).fill(value));
        expect(decoded(coded(values), values.length)).toEqual(values);
      }),
    );
  });

  test('a thousand equal values cost less than a tenth of a bit each', () => {
    expect(coded(Array<number>(1000).fill(0)).length).toBeLessThan(12);
  });

  test('random values cost little more than their bits', () => {
    const values = Array.from({ length: 4000 }, (_, index) => Math.imul(index + 1, 0x9e3779b1) >> 12);
    expect(coded(values).length / values.length).toBeLessThan((20 + 0.5) / 8);
  });

  test('any bytes are some integers: the reader never stops or fails', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        for (const value of decoded(bytes, 500)) expect(Math.abs(value)).toBeLessThanOrEqual(0xffffffff);
      }),
    );
  });
});
