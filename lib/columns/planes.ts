import type { ByteReader } from './byte-reader.ts';
import { DamagedBytes } from './damaged-bytes.ts';

/**
 * The number of planes, then the lowest byte of every integer, the next byte, and so on: similar bytes compress well.
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

export interface Planes {
  /** @param numbers zeros, filled from index `from` of the planes */
  read(from: number, count: number, numbers: Uint32Array): void;
}

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

export function readPlanes(reader: ByteReader, count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  openPlanes(reader, count).read(0, count, numbers);
  return numbers;
}
