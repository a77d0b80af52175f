import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteReader, ByteWriter, DamagedBytes, uint32Bytes, unzigzag, zigzag } from './bytes.ts';

const MAX_53 = Number.MAX_SAFE_INTEGER;
const MAX_52 = 2 ** 52 - 1;

const piece = fc.oneof(
  fc.record({ is: fc.constant('byte' as const), value: fc.nat(255) }),
  fc.record({ is: fc.constant('varint' as const), value: fc.oneof(fc.nat(300), fc.integer({ min: 0, max: MAX_53 })) }),
  fc.record({
    is: fc.constant('svarint' as const),
    value: fc.oneof(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -MAX_52, max: MAX_52 })),
  }),
);

describe('bytes', () => {
  test('that are written are read again, however many there are', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400, size: 'max' }), fc.nat(5), (pieces, offset) => {
        const writer = new ByteWriter();
        writer.varint(7);
        writer.clear();
        for (const { is, value } of pieces) writer[is](value);
        const bytes = new Uint8Array(offset + writer.length);
        writer.copyTo(bytes, offset);
        expect(bytes.subarray(offset)).toEqual(writer.bytes());
        const reader = new ByteReader(new Uint8Array(0));
        reader.moveTo(bytes, offset);
        for (const { is, value } of pieces) expect(reader[is]()).toBe(value);
        reader.end();
      }),
      { numRuns: 30 },
    );
  });

  test('of a fixed width are little-endian', () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(2 ** 32 - 1), fc.double(), (int32, uint32, float64) => {
        const double = new Uint8Array(8);
        new DataView(double.buffer).setFloat64(0, float64, true);
        const reader = new ByteReader(Uint8Array.from([...uint32Bytes(int32, uint32), ...double, 1, 2, 3]));
        expect([reader.int32(), reader.uint32(), reader.float64()]).toEqual([int32, uint32, float64]);
        expect([...reader.take(2), ...reader.rest()]).toEqual([1, 2, 3]);
        expect(reader.isAtEnd).toBe(true);
      }),
    );
  });

  test('that end early, go on, or make a number of more than 53 bits are refused by name', () => {
    const refused = (bytes: readonly number[], read: (reader: ByteReader) => void) =>
      expect(() => read(new ByteReader(Uint8Array.from(bytes)))).toThrow(DamagedBytes);
    refused([], (reader) => reader.byte());
    refused([200], (reader) => reader.varint());
    refused([1, 2, 3], (reader) => reader.uint32());
    refused([1, 2, 3, 4, 5, 6, 7], (reader) => reader.float64());
    refused([1], (reader) => reader.take(2));
    refused([1], (reader) => reader.end());
    refused(Array(9).fill(255), (reader) => reader.varint());
  });
});

test('zigzag numbers small differences of either sign in turn, and every difference of 53 bits comes back', () => {
  expect([0, -1, 1, -2, 2].map(zigzag)).toEqual([0, 1, 2, 3, 4]);
  fc.assert(
    fc.property(fc.oneof(fc.integer(), fc.integer({ min: -MAX_52, max: MAX_52 })), (difference) => {
      expect(unzigzag(zigzag(difference))).toBe(difference);
    }),
  );
});
