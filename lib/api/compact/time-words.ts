const WORD = 2 ** 32;

/** Milliseconds of the epoch as two columns of 32 bits: differences of the low ones are small, those of the high ones 0. */
export interface TimeWords {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

export function timeWords(ms: Float64Array): TimeWords {
  const low = new Int32Array(ms.length);
  const high = new Int32Array(ms.length);
  for (let index = 0; index < ms.length; index++) {
    const value = ms[index] as number;
    low[index] = value | 0;
    high[index] = Math.floor(value / WORD);
  }
  return { low, high };
}

export function timesFromWords({ low, high }: TimeWords): Float64Array {
  const ms = new Float64Array(low.length);
  for (let index = 0; index < ms.length; index++)
    ms[index] = (high[index] as number) * WORD + ((low[index] as number) >>> 0);
  return ms;
}
