/** Chances are of 2^16. */
export const CHANCE_BITS = 16;
const CERTAIN = 1 << CHANCE_BITS;
/** However often a bit was 0, it may be 1. */
const LEAST = 48;
const MOST = CERTAIN - LEAST;
/** From then on the past is forgotten slowly: what fits one end of a column fits the other. */
const LONGEST_MEMORY = 250;

/** How much one more bit counts, by the number seen: much at first, so that short columns are learnt too. */
const WEIGHTS = Float64Array.from({ length: LONGEST_MEMORY + 1 }, (_, seen) => 1 / (seen + 2));

/**
 * How likely each of a number of kinds of bits is 0, learnt from those of its kind that came before. Writer and reader learn
 * the same: only operations whose result is fixed to the last bit (ECMA-262, IEEE 754).
 */
export class AdaptiveBits {
  /** By kind: the chance of 0, and in the lowest eight bits how many were seen. */
  readonly #states: Int32Array;

  constructor(kinds: number) {
    this.#states = new Int32Array(kinds).fill((CERTAIN / 2) << 8);
  }

  /** That the next bit of the kind is 0: above 0 and below 2^16. */
  chanceOfZero(kind: number): number {
    return (this.#states[kind] as number) >> 8;
  }

  learn(kind: number, bit: number): void {
    const state = this.#states[kind] as number;
    const seen = state & 0xff;
    const chance = state >> 8;
    const learnt = (chance + ((bit === 0 ? CERTAIN : 0) - chance) * (WEIGHTS[seen] as number)) | 0;
    const kept = learnt < LEAST ? LEAST : learnt > MOST ? MOST : learnt;
    this.#states[kind] = (kept << 8) | (seen < LONGEST_MEMORY ? seen + 1 : seen);
  }
}
