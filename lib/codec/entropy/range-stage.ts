import { AdaptiveIntegers } from './adaptive-integers.ts';
import type { EntropyStage } from './entropy-stage.ts';
import { RangeDecoder } from './range-decoder.ts';
import { RangeEncoder } from './range-encoder.ts';

/** A range coder with a separate model for each column. */
export const rangeStage: EntropyStage = {
  encoder() {
    const range = new RangeEncoder();
    return {
      write(column) {
        if (column.length === 0) return;
        const integers = new AdaptiveIntegers();
        for (let at = 0; at < column.length; at++) integers.write(range, column[at] as number);
      },
      finish: () => range.finish(),
    };
  },
  decoder(bytes) {
    const range = new RangeDecoder(bytes);
    return {
      read(column) {
        if (column.length === 0) return;
        const integers = new AdaptiveIntegers();
        for (let at = 0; at < column.length; at++) column[at] = integers.read(range);
      },
    };
  },
};
