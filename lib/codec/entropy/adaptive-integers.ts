import { AdaptiveBits } from './adaptive-bits.ts';
import type { RangeDecoder } from './range-decoder.ts';
import type { RangeEncoder } from './range-encoder.ts';

/** Bits that encode the index of an integer's highest set bit, 0…31. */
const LENGTH_BITS = 5;
const LENGTHS = 1 << LENGTH_BITS;

const ZERO = 0;
const LENGTH = ZERO + 1;
const SIGN = LENGTH + LENGTHS;
const SECOND = SIGN + LENGTHS;
const CONTEXTS = SECOND + LENGTHS;

/**
 * Codes the integers of one column, with magnitudes below 2^32. The model learns the probabilities of zero and of each length
 * and, per length, of the sign and of the second-highest bit. The remaining bits are coded with equal probabilities.
 */
export class AdaptiveIntegers {
  readonly #bits = new AdaptiveBits(CONTEXTS);

  write(encoder: RangeEncoder, value: number): void {
    const bits = this.#bits;
    encoder.bit(bits, ZERO, value === 0 ? 0 : 1);
    if (value === 0) return;
    const magnitude = Math.abs(value) >>> 0;
    const length = 31 - Math.clz32(magnitude);
    let path = 1;
    for (let shift = LENGTH_BITS - 1; shift >= 0; shift--) {
      const bit = (length >>> shift) & 1;
      encoder.bit(bits, LENGTH + path, bit);
      path = (path << 1) | bit;
    }
    encoder.bit(bits, SIGN + length, value < 0 ? 1 : 0);
    if (length === 0) return;
    encoder.bit(bits, SECOND + length, (magnitude >>> (length - 1)) & 1);
    encoder.directBits(magnitude, length - 1);
  }

  read(decoder: RangeDecoder): number {
    const bits = this.#bits;
    if (decoder.bit(bits, ZERO) === 0) return 0;
    let path = 1;
    for (let count = 0; count < LENGTH_BITS; count++) path = (path << 1) | decoder.bit(bits, LENGTH + path);
    const length = path - LENGTHS;
    const isNegative = decoder.bit(bits, SIGN + length) === 1;
    let magnitude = 1;
    if (length > 0) {
      const highest = 2 + decoder.bit(bits, SECOND + length);
      // Not by shifts: 32 bits of magnitude and a sign need 33.
      magnitude = highest * 2 ** (length - 1) + decoder.directBits(length - 1);
    }
    return isNegative ? -magnitude : magnitude;
  }
}
