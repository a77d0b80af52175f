import type { ObservationColumns } from '#lib/codec/record-columns.ts';
import { toUnits } from '#lib/codec/steps.ts';
import { UNREPORTED } from '#lib/columns/unreported.ts';
import {
  byName,
  LABEL_NAMES,
  type LabelName,
  NUMBER_NAMES,
  type NumberName,
  numberField,
} from '#lib/model/record-fields.ts';
import { labelBits } from '#lib/picture/mark-style.ts';

/** A block is small enough that growing does not stall the page: 1 MiB of 32-byte rows. */
const BLOCK_ROWS_BITS = 15;
const BLOCK_ROWS = 1 << BLOCK_ROWS_BITS;

const namesIn = (row: 'int32' | 'float32' | 'int16') => NUMBER_NAMES.filter((name) => numberField(name).row === row);
const INT32 = namesIn('int32');
const FLOAT32 = namesIn('float32');
const INT16 = namesIn('int16');
const ROW_ORDER: readonly NumberName[] = [...INT32, ...FLOAT32, ...INT16];
const LABEL_SET_WORD = INT32.length + FLOAT32.length;
const ROW_WORDS = LABEL_SET_WORD + 1 + Math.ceil(INT16.length / 2);
const FIRST_INT16 = 2 * (LABEL_SET_WORD + 1);
const STEPS_PER_UNIT = Float64Array.from(ROW_ORDER, (name) => numberField(name).stepsPerUnit);

const MAX_INT16 = 0x7fff;
/** Stands for UNREPORTED in 16 bits. */
const NO_INT16 = -0x8000;

interface Block {
  readonly words: Int32Array;
  readonly floats: Float32Array;
  readonly halves: Int16Array;
}

/**
 * Rows of observations. A row has eight words, so reading it takes one memory access. Numbers are in the steps of
 * record-fields.ts, clamped to 16 bits where it says so; 32-bit floats have units, with seven digits. They are read in units,
 * NaN if not reported.
 */
export class ObservationRows {
  readonly read = byName(NUMBER_NAMES, (name) => this.#reader(name));
  readonly #blocks: Block[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Appends observations of one part. `labelSet` is an index into the store's LabelSets. */
  appender(part: ObservationColumns): (index: number, labelSet: number) => number {
    const columns = ROW_ORDER.map((name) => part[name]);
    return (index, labelSet) => {
      const row = this.#count++;
      if (row >>> BLOCK_ROWS_BITS === this.#blocks.length) this.#grow();
      const { words, floats, halves } = this.#blockOf(row);
      const at = firstWord(row);
      let column = 0;
      for (; column < INT32.length; column++) {
        words[at + column] = stepsAt(columns, column, index);
      }
      for (; column < LABEL_SET_WORD; column++) floats[at + column] = units(stepsAt(columns, column, index), column);
      words[at + LABEL_SET_WORD] = labelSet;
      for (let half = 0; half < INT16.length; half++) {
        halves[2 * at + FIRST_INT16 + half] = halved(stepsAt(columns, column + half, index));
      }
      return row;
    };
  }

  copy(row: number, columns: readonly Float64Array[], index: number): void {
    const { words, floats, halves } = this.#blockOf(row);
    const at = firstWord(row);
    let column = 0;
    for (; column < INT32.length; column++) {
      (columns[column] as Float64Array)[index] = units(words[at + column] as number, column);
    }
    for (; column < LABEL_SET_WORD; column++) {
      (columns[column] as Float64Array)[index] = rounded(floats[at + column] as number, column);
    }
    for (let half = 0; half < INT16.length; half++) {
      const value = halves[2 * at + FIRST_INT16 + half] as number;
      (columns[column + half] as Float64Array)[index] = unitsOfHalf(value, column + half);
    }
  }

  labelSet(row: number): number {
    return this.#blockOf(row).words[firstWord(row) + LABEL_SET_WORD] as number;
  }

  #reader(name: NumberName): (row: number) => number {
    const column = ROW_ORDER.indexOf(name);
    switch (numberField(name).row) {
      case 'int32':
        return (row) => units(this.#blockOf(row).words[firstWord(row) + column] as number, column);
      case 'float32':
        return (row) => rounded(this.#blockOf(row).floats[firstWord(row) + column] as number, column);
      case 'int16': {
        const half = FIRST_INT16 + column - LABEL_SET_WORD;
        return (row) => unitsOfHalf(this.#blockOf(row).halves[2 * firstWord(row) + half] as number, column);
      }
    }
  }

  #grow(): void {
    const words = new Int32Array(BLOCK_ROWS * ROW_WORDS);
    this.#blocks.push({ words, floats: new Float32Array(words.buffer), halves: new Int16Array(words.buffer) });
  }

  #blockOf(row: number): Block {
    return this.#blocks[row >>> BLOCK_ROWS_BITS] as Block;
  }
}

export function rowColumns(columns: Readonly<Record<NumberName, Float64Array>>): readonly Float64Array[] {
  return ROW_ORDER.map((name) => columns[name]);
}

function firstWord(row: number): number {
  return (row & (BLOCK_ROWS - 1)) * ROW_WORDS;
}

function stepsAt(columns: readonly Int32Array[], column: number, index: number): number {
  return (columns[column] as Int32Array)[index] as number;
}

function units(steps: number, column: number): number {
  return toUnits(steps, STEPS_PER_UNIT[column] as number);
}

function halved(steps: number): number {
  return steps === UNREPORTED ? NO_INT16 : Math.min(MAX_INT16, Math.max(-MAX_INT16, steps));
}

function unitsOfHalf(half: number, column: number): number {
  return half === NO_INT16 ? Number.NaN : half / (STEPS_PER_UNIT[column] as number);
}

function rounded(value: number, column: number): number {
  const perUnit = STEPS_PER_UNIT[column] as number;
  return Math.round(value * perUnit) / perUnit;
}

interface LabelSet {
  readonly label: (name: LabelName) => string | undefined;
  readonly style: number;
}

/** Numbers combinations of flags and labels: they are few even in a million observations. */
export class LabelSets {
  readonly #all: LabelSet[] = [];
  readonly #indexes = new Map<string, number>();

  at(index: number): LabelSet {
    return this.#all[index] as LabelSet;
  }

  /** Reads the sets of one part: its label indexes mean nothing in another. */
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
