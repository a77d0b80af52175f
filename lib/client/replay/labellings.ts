import { confidenceClass } from '#lib/model/confidence.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import { confidenceBits, MARK_DRONE, MARK_EMERGENCY, MARK_SIMULATED, MARK_TEST } from '#lib/picture/mark-style.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '../live-frame.ts';
import type { ObservationColumns } from './observation-columns.ts';

/** What is said of an observation in words and flags, and what of it shows on its mark. */
export interface Labelling {
  readonly confidence: string | undefined;
  readonly emergencyState: string | undefined;
  /** Bits of mark-style.ts. */
  readonly style: number;
}

/** Each combination of flags and labels once: few stand in a million observations. */
export class Labellings {
  readonly #all: Labelling[] = [];
  readonly #indexes = new Map<string, number>();

  at(index: number): Labelling {
    return this.#all[index] as Labelling;
  }

  /** What finds the index of a part's observation; made once a part, since indexes of labels mean nothing in another. */
  reader(columns: ObservationColumns): (index: number) => number {
    const known = new Map<number, number>();
    return (index) => {
      const flags = columns.flags[index] as number;
      const confidence = columns.confidence[index] as number;
      const emergency = columns.emergency[index] as number;
      const key = (flags * 0x10000 + confidence) * 0x10000 + emergency;
      let found = known.get(key);
      if (found === undefined) {
        found = this.#indexOf(flags, columns.labels[confidence], columns.labels[emergency]);
        known.set(key, found);
      }
      return found;
    };
  }

  #indexOf(flags: number, confidence: string | undefined, emergencyState: string | undefined): number {
    const key = JSON.stringify([flags, confidence ?? null, emergencyState ?? null]);
    let index = this.#indexes.get(key);
    if (index === undefined) {
      const style =
        (flags & FLAG_DRONE ? MARK_DRONE : 0) |
        (flags & FLAG_SIMULATED ? MARK_SIMULATED : 0) |
        (flags & FLAG_TEST ? MARK_TEST : 0) |
        (emergencyClass(emergencyState) === 'emergency' ? MARK_EMERGENCY : 0) |
        confidenceBits(confidenceClass(confidence));
      index = this.#all.push({ confidence, emergencyState, style }) - 1;
      this.#indexes.set(key, index);
    }
    return index;
  }
}
