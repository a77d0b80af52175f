import { type AdaptiveBits, CHANCE_BITS } from './adaptive-bits.ts';
import type { ByteWriter } from './byte-writer.ts';

const WORD = 2 ** 32;
const LEAST_RANGE = 2 ** 24;
/** At a time: leaves the range wide enough to be shared out evenly. */
const MOST_EVEN_BITS = 16;
/** From here on up to 2^32 a carry may still come through the highest byte. */
const CARRY_FROM = 0xff000000;

/**
 * A binary range coder (G. N. N. Martin 1979; carries as in LZMA): a bit costs the less the likelier it was. What deflate
 * does with whole bytes of all columns at once, this does with each column's bits.
 */
export class RangeEncoder {
  readonly #writer: ByteWriter;
  #low = 0;
  #range = 0xffffffff;
  /** The byte before those in `low`, and how many bytes 0xff follow it and count with it: a carry may still change all. */
  #held = 0;
  #heldCount = 1;

  constructor(writer: ByteWriter) {
    this.#writer = writer;
  }

  bit(bits: AdaptiveBits, kind: number, bit: number): void {
    const zeros = (this.#range >>> CHANCE_BITS) * bits.chanceOfZero(kind);
    if (bit === 0) this.#range = zeros;
    else {
      this.#low += zeros;
      this.#range -= zeros;
    }
    bits.learn(kind, bit);
    this.#normalise();
  }

  /** The lowest `count` bits (at most 32), each as likely as not. */
  evenBits(value: number, count: number): void {
    for (let left = count; left > 0; ) {
      const step = left > MOST_EVEN_BITS ? MOST_EVEN_BITS : left;
      left -= step;
      this.#range >>>= step;
      this.#low += this.#range * ((value >>> left) & ((1 << step) - 1));
      this.#normalise();
    }
  }

  /** Writes what is still held back; nothing may follow. The reader takes the zeros behind the end for granted. */
  finish(): void {
    // The number in the range that ends in the most zeros: the range is never smaller than 2^24 here.
    this.#low = Math.ceil(this.#low / LEAST_RANGE) * LEAST_RANGE;
    this.#shift();
    this.#shift();
  }

  #normalise(): void {
    while (this.#range < LEAST_RANGE) {
      this.#range = (this.#range << 8) >>> 0;
      this.#shift();
    }
  }

  /** Moves the highest byte of `low` to those held back, and writes them where no carry can reach them any more. */
  #shift(): void {
    if (this.#low < CARRY_FROM || this.#low >= WORD) {
      const carry = this.#low >= WORD ? 1 : 0;
      this.#writer.byte(this.#held + carry);
      for (; this.#heldCount > 1; this.#heldCount--) this.#writer.byte(0xff + carry);
      this.#held = Math.floor(this.#low / LEAST_RANGE) & 0xff;
      this.#heldCount = 0;
    }
    this.#heldCount++;
    this.#low = (this.#low % LEAST_RANGE) * 0x100;
  }
}
