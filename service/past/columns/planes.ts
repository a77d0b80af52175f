import type { ByteReader } from './byte-reader.ts';
import { DamagedBytes } from './damaged-bytes.ts';

/**
 * Whole numbers from 0 to 2³² − 1 in byte planes: how many planes there are, then the lowest byte of every number, then
 * the next byte of every number, as far as any number has one. Bytes that mean the same stand together, which is what
 * makes them compress.
 */
export function writePlanes(numbers: Uint32Array): Uint8Array {
  let bits = 0;
  for (const number of numbers) bits |= number;
  const width = Math.ceil((32 - Math.clz32(bits)) / 8);
  const bytes = new Uint8Array(1 + width * numbers.length);
  bytes[0] = width;
  for (let plane = 0, at = 1; plane < width; plane += 1) {
    for (let index = 0; index < numbers.length; index += 1) bytes[at++] = numbers[index]! >>> (8 * plane);
  }
  return bytes;
}

/** Reads `count` numbers. Throws DamagedBytes. */
export function readPlanes(reader: ByteReader, count: number): Uint32Array {
  const width = reader.byte();
  if (width > 4) throw new DamagedBytes(`a number of ${width} bytes`);
  const planes = reader.take(width * count);
  const numbers = new Uint32Array(count);
  for (let plane = 0, at = 0; plane < width; plane += 1) {
    for (let index = 0; index < count; index += 1) numbers[index]! |= planes[at++]! << (8 * plane);
  }
  return numbers;
}
