import fc from 'fast-check';
import { PbfWriter } from 'pbf';
import { describe, expect, test } from 'vitest';
import { PlainReader, writeText } from './plain-reader.ts';

function written(write: (writer: PbfWriter) => void): Uint8Array {
  const writer = new PbfWriter();
  write(writer);
  return writer.finish();
}

describe('PlainReader', () => {
  test('reads numbers of any size in sequence, up to the end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.maxSafeNat()),
        fc.array(fc.integer()),
        fc.array(fc.double()),
        (naturals, words, floats) => {
          const bytes = written((writer) => {
            for (const value of naturals) writer.writeVarint(value);
            for (const value of words) writer.writeSVarint(value);
            for (const value of words) writer.writeFixed32(value);
            for (const value of floats) writer.writeDouble(value);
          });
          const reader = new PlainReader(bytes);
          expect(naturals.map(() => reader.varint())).toEqual(naturals);
          expect(words.map(() => reader.signedVarint())).toEqual(words);
          expect(words.map(() => reader.uint32() | 0)).toEqual(words);
          expect(floats.map(() => reader.float64())).toEqual(floats);
          expect(reader.left).toBe(0);
          expect(() => reader.varint()).toThrow('truncated');
        },
      ),
    );
  });

  test('reads any UTF-16 text, including lone surrogates', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.array(fc.string({ unit })), (texts) => {
        const reader = new PlainReader(
          written((writer) => {
            for (const text of texts) writeText(writer, text);
          }),
        );
        expect(texts.map(() => reader.text())).toEqual(texts);
      }),
    );
  });

  test('rejects numbers that it cannot represent', () => {
    const varint = (value: number) => new PlainReader(written((writer) => writer.writeVarint(value)));
    expect(() => varint(2 ** 53).varint()).toThrow('too large');
    expect(() => varint(2 ** 32).signedVarint()).toThrow('too large');
  });

  test('reads or rejects any bytes, and never reads past their end', () => {
    const reads = [
      (reader: PlainReader) => reader.varint(),
      (reader: PlainReader) => reader.signedVarint(),
      (reader: PlainReader) => reader.uint32(),
      (reader: PlainReader) => reader.float64(),
      (reader: PlainReader) => reader.text(),
    ];
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.uint8Array({ maxLength: 20 }),
        fc.array(fc.constantFrom(...reads)),
        (bytes, behind, steps) => {
          const reader = new PlainReader(Uint8Array.from([...bytes, ...behind]).subarray(0, bytes.length));
          try {
            for (const step of steps) step(reader);
          } catch (error) {
            expect((error as Error).constructor).toBe(Error);
          }
          if (reader.left < 0) expect(() => reader.varint()).toThrow('truncated');
        },
      ),
    );
  });
});
