import { type AdaptiveBits, PROBABILITY_BITS } from './adaptive-bits.ts';
import { MAX_DIRECT_BITS, MIN_RANGE } from './range-encoder.ts';

/** Decodes the output of RangeEncoder. Any bytes decode to some bits; past the end, zeros are read. */
export class RangeDecoder {
  readonly #bytes: Uint8Array;
  #at = 0;
  #code = 0;
  #range = 0xffffffff;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    for (let count = 0; count < 4; count++) this.#code = ((this.#code << 8) | this.#byte()) >>> 0;
  }

  bit(bits: AdaptiveBits, context: number): number {
    const zeros = (this.#range >>> PROBABILITY_BITS) * bits.probabilityOfZero(context);
    const bit = this.#code < zeros ? 0 : 1;
    if (bit === 0) this.#range = zeros;
    else {
      this.#code -= zeros;
      this.#range -= zeros;
    }
    bits.learn(context, bit);
    this.#normalise();
    return bit;
  }

  directBits(count: number): number {
    let value = 0;
    for (let left = count; left > 0; ) {
      const step = left > MAX_DIRECT_BITS ? MAX_DIRECT_BITS : left;
      left -= step;
      this.#range >>>= step;
      // Only damaged bytes exceed the maximum.
      const part = Math.min(Math.floor(this.#code / this.#range), (1 << step) - 1);
      this.#code -= part * this.#range;
      value = ((value << step) | part) >>> 0;
      this.#normalise();
    }
    return value;
  }

  #normalise(): void {
    while (this.#range < MIN_RANGE) {
      this.#range = (this.#range << 8) >>> 0;
      this.#code = ((this.#code << 8) | this.#byte()) >>> 0;
    }
  }

  #byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }
}
