import { type AdaptiveBits, PROBABILITY_BITS } from './adaptive-bits.ts';

const WORD = 2 ** 32;
/** Lower bound of the range, so that it can be scaled by a probability. */
export const MIN_RANGE = 2 ** 24;
/** At most this many bits are coded at once, so that the range can still be divided evenly. */
export const MAX_DIRECT_BITS = 16;
/** While `low` is in [this, 2^32), a carry may still propagate through its highest byte. */
const CARRY_FROM = 0xff000000;

/**
 * A binary range coder (G. N. N. Martin 1979; carries as in LZMA): the likelier a bit, the less it costs. Unlike deflate, which
 * models the bytes of all columns together, it models the bits of each column separately.
 */
export class RangeEncoder {
  #bytes = new Uint8Array(1024);
  #length = 0;
  #low = 0;
  #range = 0xffffffff;
  /** The last byte that is not yet written, and its count including the 0xff bytes after it: a carry may change all of them. */
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

  /** Codes the lowest `count` bits (at most 32) with equal probabilities. */
  directBits(value: number, count: number): void {
    for (let left = count; left > 0; ) {
      const step = left > MAX_DIRECT_BITS ? MAX_DIRECT_BITS : left;
      left -= step;
      this.#range >>>= step;
      this.#low += this.#range * ((value >>> left) & ((1 << step) - 1));
      this.#normalise();
    }
  }

  /** The encoded bytes, without trailing zeros, which the decoder assumes. Nothing may be written afterwards. */
  finish(): Uint8Array {
    // The number in the range with the most trailing zeros: the range is at least 2^24 here.
    this.#low = Math.ceil(this.#low / MIN_RANGE) * MIN_RANGE;
    this.#shift();
    this.#shift();
    while (this.#bytes[this.#length - 1] === 0) this.#length--;
    // The first byte precedes the first bits and is always 0.
    return this.#bytes.subarray(1, Math.max(1, this.#length));
  }

  #normalise(): void {
    while (this.#range < MIN_RANGE) {
      this.#range = (this.#range << 8) >>> 0;
      this.#shift();
    }
  }

  /** Moves the highest byte of `low` to the pending bytes, and writes those that a carry can no longer change. */
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
