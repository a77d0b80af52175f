import { LABEL_NAMES, type LabelName } from '#lib/model/record-fields.ts';
import { labelBits } from '#lib/picture/mark-style.ts';
import type { ObservationColumns } from './observation-columns.ts';

export interface LabelSet {
  readonly label: (name: LabelName) => string | undefined;
  readonly style: number;
}

/** Distinct combinations of flags and labels: few even in a million observations. */
export class LabelSets {
  readonly #all: LabelSet[] = [];
  readonly #indexes = new Map<string, number>();

  at(index: number): LabelSet {
    return this.#all[index] as LabelSet;
  }

  /** Label indexes are only valid within a part. */
  reader({ flags, labels, ...columns }: ObservationColumns): (index: number) => number {
    const labelColumns = LABEL_NAMES.map((name) => columns[name]);
    const known = new Map<number, number>();
    return (index) => {
      // A safe integer: a part has a few thousand distinct labels at most.
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
