import { LABEL_NAMES, type LabelName } from '#lib/model/record-fields.ts';
import { labelBits } from '#lib/picture/mark-style.ts';
import type { ObservationColumns } from './observation-columns.ts';

/** What is said of an observation in words and flags. */
export interface LabelSet {
  readonly label: (name: LabelName) => string | undefined;
  /** Its flags, and what of its labels shows on its mark: bits of mark-style.ts. */
  readonly style: number;
}

/** Each combination of flags and labels once: few stand in a million observations. */
export class LabelSets {
  readonly #all: LabelSet[] = [];
  readonly #indexes = new Map<string, number>();

  at(index: number): LabelSet {
    return this.#all[index] as LabelSet;
  }

  /** What finds the index of a part's observation; made once a part, since indexes of labels mean nothing in another. */
  reader({ flags, labels, ...columns }: ObservationColumns): (index: number) => number {
    const labelColumns = LABEL_NAMES.map((name) => columns[name]);
    const known = new Map<number, number>();
    return (index) => {
      // Safe integers with four columns of labels too: a part has some thousand distinct ones at the most.
      let key = flags[index] as number;
      for (const column of labelColumns) key = key * labels.length + (column[index] as number);
      let found = known.get(key);
      if (found === undefined) {
        found = this.#indexOf(
          flags[index] as number,
          labelColumns.map((column) => labels[column[index] as number]),
        );
        known.set(key, found);
      }
      return found;
    };
  }

  /** @param labels in the order of `LABEL_NAMES` */
  #indexOf(flags: number, labels: readonly (string | undefined)[]): number {
    const key = JSON.stringify([flags, ...labels.map((label) => label ?? null)]);
    let index = this.#indexes.get(key);
    if (index === undefined) {
      const style = LABEL_NAMES.reduce((bits, name, at) => bits | labelBits(name, labels[at]), flags);
      index = this.#all.push({ label: (name) => labels[LABEL_NAMES.indexOf(name)], style }) - 1;
      this.#indexes.set(key, index);
    }
    return index;
  }
}
