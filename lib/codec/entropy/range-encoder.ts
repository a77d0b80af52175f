import { type AdaptiveBits, PROBABILITY_BITS } from './adaptive-bits.ts';

const WORD = 2 ** 32;
/** The range is kept above this, so that it can be divided by a probability. */
export const MIN_RANGE = 2 ** 24;
/** At a time: the range stays wide enough to be divided evenly. */
export const MAX_DIRECT_BITS = 16;
/** From here on up to 2^32 a carry may still come through the highest byte. */
const CARRY_FROM = 0xff000000;

/**
 * A binary range coder (G. N. N. Martin 1979; carries as in LZMA): a bit costs the less the likelier it was. What deflate
 * does with whole bytes of all columns at once, this does with each column's bits.
 */
export class RangeEncoder {
  #bytes = new Uint8Array(1024);
  #length = 0;
  #low = 0;
  #range = 0xffffffff;
  /** The byte above those in `low`, and how many bytes there are with the 0xff that follow it: a carry may change all. */
  #pending = 0;
  #pendingCount = 1;

  bit(bits: AdaptiveBits, context: number, bit: number): void {
    const zeros = (this.#range >>> PROBABILITY_BITS) * bits.probabilityOfZero(context);
    if (bit === 0) this.#range = zeros;
    else {
      this.#low += zeros;
      this.#range -= zeros;
    }
    bits.learn(context, bit);
    this.#normalise();
  }

  /** The lowest `count` bits (at most 32), each as likely 0 as 1. */
  directBits(value: number, count: number): void {
    for (let left = count; left > 0; ) {
      const step = left > MAX_DIRECT_BITS ? MAX_DIRECT_BITS : left;
      left -= step;
      this.#range >>>= step;
      this.#low += this.#range * ((value >>> left) & ((1 << step) - 1));
      this.#normalise();
    }
  }

  /** All bytes; nothing may follow. The decoder takes zeros behind the end for granted. */
  finish(): Uint8Array {
    // The number in the range that ends in the most zeros: the range is never smaller than 2^24 here.
    this.#low = Math.ceil(this.#low / MIN_RANGE) * MIN_RANGE;
    this.#shift();
    this.#shift();
    while (this.#bytes[this.#length - 1] === 0) this.#length--;
    // The first byte stood above the first bits: always 0.
    return this.#bytes.subarray(1, Math.max(1, this.#length));
  }

  #normalise(): void {
    while (this.#range < MIN_RANGE) {
      this.#range = (this.#range << 8) >>> 0;
      this.#shift();
    }
  }

  /** Moves the highest byte of `low` to the pending ones, and writes these where no carry can reach them any more. */
  #shift(): void {
    if (this.#low < CARRY_FROM || this.#low >= WORD) {
      const carry = this.#low >= WORD ? 1 : 0;
      this.#write(this.#pending + carry);
      for (; this.#pendingCount > 1; this.#pendingCount--) this.#write(0xff + carry);
      this.#pending = Math.floor(this.#low / MIN_RANGE) & 0xff;
      this.#pendingCount = 0;
    }
    this.#pendingCount++;
    this.#low = (this.#low % MIN_RANGE) * 0x100;
  }

  #write(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const bigger = new Uint8Array(this.#bytes.length * 2);
      bigger.set(this.#bytes);
      this.#bytes = bigger;
    }
    this.#bytes[this.#length++] = byte;
  }
}
