import type { Bbox } from '#lib/geo/bbox.ts';
import type { Instant } from '#lib/time/instant.ts';
import { makeDice } from '#service/sources/simulator/seeded-random.ts';
import type { Part } from '../part.ts';

export interface ModelRecord {
  readonly observedAt: Instant;
  readonly lon: number;
  readonly lat: number;
  /** Public track reference. */
  readonly track: string;
}

export type Order = 'earliest' | 'latest' | 'any' | 'by-track';

export interface ModelAnswer {
  readonly records: readonly ModelRecord[];
  readonly truncated: boolean;
}

/** Answers of the contract's history mode, out of memory: at most a page, `truncated` where more is there or hidden. */
export class ModelSource {
  readonly #records: readonly ModelRecord[];
  readonly #hidden: readonly ModelRecord[];
  readonly #order: Order;
  readonly #pageSize: number;
  readonly #sourceWindow: number;
  readonly #dice;
  requests = 0;

  constructor(records: readonly ModelRecord[], order: Order, { hidden = [] as readonly ModelRecord[], pageSize = 1000, sourceWindow = 20_000, seed = 1 } = {}) {
    const inTime = (list: readonly ModelRecord[]) => list.toSorted((a, b) => a.observedAt - b.observedAt);
    this.#records = inTime(records);
    this.#hidden = inTime(hidden);
    this.#order = order;
    this.#pageSize = pageSize;
    this.#sourceWindow = sourceWindow;
    this.#dice = makeDice(seed);
  }

  answer({ bbox, window }: Part): ModelAnswer {
    this.requests += 1;
    const here = within(this.#records, bbox, window.start, window.end);
    const hidden = within(this.#hidden, bbox, window.start, window.end).length;
    const truncated = here.length > this.#pageSize || here.length + hidden > this.#sourceWindow;
    if (!truncated) return { records: here, truncated };
    const seen = here.length + hidden > this.#sourceWindow ? Math.floor((here.length * this.#sourceWindow) / (here.length + hidden)) : here.length;
    return { records: this.#ordered(here).slice(0, Math.min(this.#pageSize, seen)), truncated };
  }

  #ordered(records: readonly ModelRecord[]): readonly ModelRecord[] {
    switch (this.#order) {
      case 'earliest':
        return records;
      case 'latest':
        return records.toReversed();
      case 'by-track':
        return records.toSorted((a, b) => (a.track < b.track ? -1 : a.track > b.track ? 1 : 0));
      case 'any': {
        const keyed = records.map((record) => ({ record, key: this.#dice.between(0, 1) }));
        return keyed.sort((a, b) => a.key - b.key).map(({ record }) => record);
      }
    }
  }
}

function within(records: readonly ModelRecord[], bbox: Bbox, startMs: number, endMs: number): readonly ModelRecord[] {
  return records
    .slice(firstAt(records, startMs), firstAt(records, endMs))
    .filter(({ lon, lat }) => lon >= bbox.west && lon <= bbox.east && lat >= bbox.south && lat <= bbox.north);
}

/** The index of the first record at or after. */
function firstAt(records: readonly ModelRecord[], ms: number): number {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((records[middle] as ModelRecord).observedAt < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
