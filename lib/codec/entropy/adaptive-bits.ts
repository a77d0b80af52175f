/** Probabilities are of 2^16. */
export const PROBABILITY_BITS = 16;
const CERTAIN = 1 << PROBABILITY_BITS;
/** However often a bit was 0, it may be 1. */
const MIN_PROBABILITY = 48;
const MAX_PROBABILITY = CERTAIN - MIN_PROBABILITY;
/** From then on the past is forgotten slowly: what fits one end of a column fits the other. */
const MAX_SEEN = 250;

/** How much one more bit counts, by the number seen: much at first, so that short columns are learnt too. */
const WEIGHTS = Float64Array.from({ length: MAX_SEEN + 1 }, (_, seen) => 1 / (seen + 2));

/**
 * The probability that a bit is 0, for each context, learnt from the bits of the same context that came before. Encoder
 * and decoder learn the same: only operations whose result is fixed to the last bit (ECMA-262, IEEE 754).
 */
export class AdaptiveBits {
  /** By context: the probability of 0, and in the lowest eight bits how many bits were seen. */
  readonly #states: Int32Array;

  constructor(contexts: number) {
    this.#states = new Int32Array(contexts).fill((CERTAIN / 2) << 8);
  }

  /** That the next bit of the context is 0: above 0 and below 2^16. */
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
