const WORD = 2 ** 32;

/** Milliseconds of the epoch as two columns of 32 bits: differences of the low ones are small, those of the high ones 0. */
export interface TimeWords {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

export function timeWords(ms: Float64Array): TimeWords {
  return {
    low: Int32Array.from(ms, (value) => value | 0),
    high: Int32Array.from(ms, (value) => Math.floor(value / WORD)),
  };
}

export function timeFromWords(low: number, high: number): number {
  return high * WORD + (low >>> 0);
}
