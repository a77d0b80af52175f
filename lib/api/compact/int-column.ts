import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

const WIDTH_BITS = 0b111;
const HAS_STRIDE = 0b1000;
const largestStride = 0x80000000;

/**
 * Differences to what was predicted. All are divided by what they have in common (altitudes are whole multiples of 25 ft,
 * scores of a hundredth); a column of zeros takes one byte.
 */
export function writeIntColumn(writer: ByteWriter, differences: Int32Array): void {
  const stride = commonStride(differences);
  const folded = new Uint32Array(differences.length);
  let largest = 0;
  for (let index = 0; index < differences.length; index++) {
    const value = foldSign((differences[index] as number) / stride);
    folded[index] = value;
    if (value > largest) largest = value;
  }
  const width = Math.ceil((32 - Math.clz32(largest)) / 8);
  writer.byte(width | (stride > 1 ? HAS_STRIDE : 0));
  if (stride > 1) writer.varint(stride);
  writer.planes(folded, width);
}

/** @throws Error where the bytes are not such a column */
export function readIntColumn(reader: ByteReader, count: number): Int32Array {
  const form = reader.byte();
  const width = form & WIDTH_BITS;
  const stride = form & HAS_STRIDE ? reader.varint() : 1;
  if (form > (WIDTH_BITS | HAS_STRIDE) || width > 4 || stride > largestStride) {
    throw new Error('the frame is damaged: a column has no such form');
  }
  const folded = reader.planes(count, width);
  const differences = new Int32Array(count);
  for (let index = 0; index < count; index++) {
    differences[index] = Math.imul(unfoldSign(folded[index] as number), stride);
  }
  return differences;
}

/** 0, −1, 1, −2, … as 0, 1, 2, 3, …: small either way. */
export function foldSign(value: number): number {
  return ((value << 1) ^ (value >> 31)) >>> 0;
}

export function unfoldSign(folded: number): number {
  return (folded >>> 1) ^ -(folded & 1);
}

/** The greatest common divisor; 1 where all are zero. */
function commonStride(differences: Int32Array): number {
  let stride = 0;
  for (let index = 0; index < differences.length && stride !== 1; index++) {
    let rest = Math.abs(differences[index] as number);
    while (rest !== 0) {
      const divisor = rest;
      rest = stride % divisor;
      stride = divisor;
    }
  }
  return stride || 1;
}
