import { AdaptiveIntegers } from './adaptive-integers.ts';
import type { FrameReader, FrameWriter } from './frame-streams.ts';

const LARGEST_STRIDE = 0x80000000;

/**
 * Differences to what was predicted. All are divided by what they have in common, the stride (altitudes are whole multiples
 * of 25 ft, scores of a hundredth); a column of zeros, stride 0, takes one byte.
 */
export function writeIntColumn({ plain, coded }: FrameWriter, differences: Int32Array): void {
  const stride = commonStride(differences);
  plain.varint(stride);
  if (stride === 0) return;
  const integers = new AdaptiveIntegers();
  for (let at = 0; at < differences.length; at++) integers.write(coded, (differences[at] as number) / stride);
}

/** @throws Error where the bytes are not such a column */
export function readIntColumn({ plain, coded }: FrameReader, count: number): Int32Array {
  const stride = plain.varint();
  if (stride > LARGEST_STRIDE) throw new Error('the frame is damaged: a column has no such stride');
  const differences = new Int32Array(count);
  if (stride === 0) return differences;
  const integers = new AdaptiveIntegers();
  for (let at = 0; at < count; at++) differences[at] = Math.imul(integers.read(coded), stride);
  return differences;
}

/** The greatest common divisor; 0 where all are zero. */
function commonStride(differences: Int32Array): number {
  let stride = 0;
  for (let at = 0; at < differences.length && stride !== 1; at++) {
    let rest = Math.abs(differences[at] as number);
    while (rest !== 0) {
      const divisor = rest;
      rest = stride % divisor;
      stride = divisor;
    }
  }
  return stride;
}
