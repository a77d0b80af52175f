import type { ByteReader } from './byte-reader.ts';
import { DamagedBytes } from './damaged-bytes.ts';

/**
 * Integers from 0 to 2³² − 1 in byte planes. First the number of planes, then the lowest byte of every integer, then the
 * next byte of every integer, up to the highest needed one. Similar bytes are adjacent, so they compress well.
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

/** Byte planes with random access. */
export interface Planes {
  /** Reads `count` integers, starting at index `from`, into `numbers`, which must be zeros. */
  read(from: number, count: number, numbers: Uint32Array): void;
}

/** Throws DamagedBytes. @param count of integers in the planes */
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

/** Reads `count` integers. Throws DamagedBytes. */
export function readPlanes(reader: ByteReader, count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  openPlanes(reader, count).read(0, count, numbers);
  return numbers;
}
