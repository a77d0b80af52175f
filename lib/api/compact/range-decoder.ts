import { type AdaptiveBits, CHANCE_BITS } from './adaptive-bits.ts';

const LEAST_RANGE = 2 ** 24;
/** At a time: leaves the range wide enough to be shared out evenly. */
const MOST_EVEN_BITS = 16;

/** Reads what RangeEncoder wrote. Any bytes give some bits; behind their end there are zeros. */
export class RangeDecoder {
  readonly #bytes: Uint8Array;
  #at = 0;
  #code = 0;
  #range = 0xffffffff;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    // The first byte that the encoder held back is always 0.
    for (let count = 0; count < 5; count++) this.#code = ((this.#code << 8) | this.#byte()) >>> 0;
  }

  bit(bits: AdaptiveBits, kind: number): number {
    const zeros = (this.#range >>> CHANCE_BITS) * bits.chanceOfZero(kind);
    const bit = this.#code < zeros ? 0 : 1;
    if (bit === 0) this.#range = zeros;
    else {
      this.#code -= zeros;
      this.#range -= zeros;
    }
    bits.learn(kind, bit);
    this.#normalise();
    return bit;
  }

  evenBits(count: number): number {
    let value = 0;
    for (let left = count; left > 0; ) {
      const step = left > MOST_EVEN_BITS ? MOST_EVEN_BITS : left;
      left -= step;
      this.#range >>>= step;
      // Beyond the highest value only in damaged bytes.
      const part = Math.min(Math.floor(this.#code / this.#range), (1 << step) - 1);
      this.#code -= part * this.#range;
      value = ((value << step) | part) >>> 0;
      this.#normalise();
    }
    return value;
  }

  #normalise(): void {
    while (this.#range < LEAST_RANGE) {
      this.#range = (this.#range << 8) >>> 0;
      this.#code = ((this.#code << 8) | this.#byte()) >>> 0;
    }
  }

  #byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }
}
