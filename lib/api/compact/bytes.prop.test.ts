import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

function written(write: (writer: ByteWriter) => void): ByteReader {
  const writer = new ByteWriter();
  write(writer);
  return new ByteReader(writer.written());
}

describe('ByteReader reads what ByteWriter wrote', () => {
  test('numbers of any size, one after the other, to the end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.maxSafeNat()),
        fc.array(fc.integer()),
        fc.array(fc.double()),
        (naturals, words, floats) => {
          const reader = written((writer) => {
            for (const value of naturals) writer.varint(value);
            for (const value of words) writer.signedVarint(value);
            for (const value of words) writer.uint32(value);
            for (const value of floats) writer.float64(value);
          });
          expect(naturals.map(() => reader.varint())).toEqual(naturals);
          expect(words.map(() => reader.signedVarint())).toEqual(words);
          expect(words.map(() => reader.uint32() | 0)).toEqual(words);
          expect(floats.map(() => reader.float64())).toEqual(floats);
          expect(reader.left).toBe(0);
          expect(() => reader.byte()).toThrow('cut');
        },
      ),
    );
  });

  test('texts of any UTF-16, halves of surrogate pairs too', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.array(fc.string({ unit })), (texts) => {
        const reader = written((writer) => {
          for (const text of texts) writer.text(text);
        });
        expect(texts.map(() => reader.text())).toEqual(texts);
      }),
    );
  });
});
