import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { type Dice, makeDice } from '#lib/random/dice.fixture.ts';
import { compareInstants, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { PastPart } from '../parts/history-part.ts';

export interface ModelRecord {
  readonly observedAt: UpstreamInstant;
  readonly lon: number;
  readonly lat: number;
  readonly track: string;
}

/** The contract states no order for truncated answers. */
export const ORDERS = ['earliest', 'latest', 'any', 'by-track'] as const;
export type Order = (typeof ORDERS)[number];

export interface ModelSourceOptions {
  readonly order?: Order;
  /** Of the other layer: they count until the source filters by layer. */
  readonly hidden?: readonly ModelRecord[];
  /** How many records of all layers one request scans. */
  readonly sourceWindow?: number;
}

/** A source with closed boxes and half-open windows that answers a page at most. */
export class ModelSource {
  readonly #records: readonly ModelRecord[];
  readonly #hidden: readonly ModelRecord[];
  readonly #order: Order;
  readonly #sourceWindow: number;
  readonly #dice: Dice = makeDice(1);

  constructor(records: readonly ModelRecord[], options: ModelSourceOptions = {}) {
    const { order = 'any', hidden = [], sourceWindow = Number.POSITIVE_INFINITY } = options;
    this.#records = inOrderOfTime(records);
    this.#hidden = inOrderOfTime(hidden);
    this.#order = order;
    this.#sourceWindow = sourceWindow;
  }

  all({ bbox, window }: PastPart): readonly ModelRecord[] {
    return within(this.#records, bbox, window);
  }

  isOverfull(part: PastPart): boolean {
    const records = countWithin(this.#records, part);
    return records > LIMIT_MAX || records + countWithin(this.#hidden, part) > this.#sourceWindow;
  }

  answer(part: PastPart): { readonly records: readonly ModelRecord[]; readonly truncated: boolean } {
    const here = this.all(part);
    const everything = here.length + countWithin(this.#hidden, part);
    if (here.length <= LIMIT_MAX && everything <= this.#sourceWindow) return { records: here, truncated: false };
    const scanned = Math.floor((here.length * Math.min(everything, this.#sourceWindow)) / everything);
    return { records: this.#ordered(here).slice(0, Math.min(LIMIT_MAX, scanned)), truncated: true };
  }

  #ordered(records: readonly ModelRecord[]): readonly ModelRecord[] {
    switch (this.#order) {
      case 'earliest':
        return records;
      case 'latest':
        return records.toReversed();
      case 'by-track':
        return records.toSorted((a, b) => Number(a.track > b.track) - Number(a.track < b.track));
      case 'any':
        return records
          .map((record) => ({ record, key: this.#dice.between(0, 1) }))
          .sort((a, b) => a.key - b.key)
          .map(({ record }) => record);
    }
  }
}

function inOrderOfTime(records: readonly ModelRecord[]): readonly ModelRecord[] {
  return records.toSorted((a, b) => compareInstants(a.observedAt, b.observedAt));
}

function within(records: readonly ModelRecord[], bbox: Bbox, { start, end }: Window): readonly ModelRecord[] {
  return records
    .slice(indexAt(records, start), indexAt(records, end))
    .filter(({ lon, lat }) => bboxContains(bbox, lon, lat));
}

function countWithin(records: readonly ModelRecord[], { bbox, window }: PastPart): number {
  const end = indexAt(records, window.end);
  let count = 0;
  for (let index = indexAt(records, window.start); index < end; index++) {
    const { lon, lat } = records[index] as ModelRecord;
    if (bboxContains(bbox, lon, lat)) count++;
  }
  return count;
}

function indexAt(records: readonly ModelRecord[], instant: UpstreamInstant): number {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((records[middle] as ModelRecord).observedAt < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}
