/** Probabilities are integers, scaled by 2^16. */
export const PROBABILITY_BITS = 16;
const CERTAIN = 1 << PROBABILITY_BITS;
/** Probabilities never reach 0 or 1: any bit must remain encodable. */
const MIN_PROBABILITY = 48;
const MAX_PROBABILITY = CERTAIN - MIN_PROBABILITY;
/** Upper bound of the adaptation count, so that the model keeps adapting along a long column. */
const MAX_SEEN = 250;

/** Adaptation rate by number of bits seen: high at first, so that the model also learns from short columns. */
const WEIGHTS = Float64Array.from({ length: MAX_SEEN + 1 }, (_, seen) => 1 / (seen + 2));

/**
 * For each context, the probability that the next bit is 0, learnt from the earlier bits of that context. Encoder and decoder
 * must learn identical values, so only operations with exactly specified results are used (ECMA-262, IEEE 754).
 */
export class AdaptiveBits {
  /** By context: the probability of 0, and in the lowest eight bits the number of bits seen. */
  readonly #states: Int32Array;

  constructor(contexts: number) {
    this.#states = new Int32Array(contexts).fill((CERTAIN / 2) << 8);
  }

  /** The probability that the context's next bit is 0, above 0 and below 2^16. */
  probabilityOfZero(context: number): number {
    return (this.#states[context] as number) >> 8;
  }

  learn(context: number, bit: number): void {
    const state = this.#states[context] as number;
    const seen = state & 0xff;
    const probability = state >> 8;
    const learnt = (probability + ((bit === 0 ? CERTAIN : 0) - probability) * (WEIGHTS[seen] as number)) | 0;
    const bounded = learnt < MIN_PROBABILITY ? MIN_PROBABILITY : learnt > MAX_PROBABILITY ? MAX_PROBABILITY : learnt;
    this.#states[context] = (bounded << 8) | (seen < MAX_SEEN ? seen + 1 : seen);
  }
}
