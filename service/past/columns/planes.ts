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

/** Numbers in byte planes, read where they stand. */
export interface Planes {
  /** Puts `count` numbers, from number `from` on, into `numbers`, which are 0 there. */
  read(from: number, count: number, numbers: Uint32Array): void;
}

/** Throws DamagedBytes. @param count how many numbers there are */
export function openPlanes(reader: ByteReader, count: number): Planes {
  const width = reader.byte();
  if (width > 4) throw new DamagedBytes(`a number of ${width} bytes`);
  const bytes = reader.take(width * count);
  return {
    read(from, length, numbers) {
      for (let plane = 0; plane < width; plane += 1) {
        const start = plane * count + from;
        for (let index = 0; index < length; index += 1) numbers[index]! |= bytes[start + index]! << (8 * plane);
      }
    },
  };
}

/** Reads `count` numbers. Throws DamagedBytes. */
export function readPlanes(reader: ByteReader, count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  openPlanes(reader, count).read(0, count, numbers);
  return numbers;
}
