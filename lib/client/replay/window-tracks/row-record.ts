import type { FilteredMeasure, FilteredRecord } from '#lib/filter/track-filter.ts';
import { MARK_EMERGENCY } from '#lib/picture/mark-style.ts';
import type { ReplayStore } from '../store/replay-store.ts';

export class RowRecord implements FilteredRecord {
  row = 0;
  readonly #store: ReplayStore;

  constructor(store: ReplayStore) {
    this.#store = store;
  }

  get flags(): number {
    return this.#store.labelSets.at(this.#store.rows.labelSet(this.row)).style;
  }

  /** Filters by age do not apply to the past. */
  get observedAtMs(): number {
    return 0;
  }

  get lon(): number {
    return this.#store.rows.read.lon(this.row);
  }

  get lat(): number {
    return this.#store.rows.read.lat(this.row);
  }

  get isEmergency(): boolean {
    return (this.flags & MARK_EMERGENCY) !== 0;
  }

  get confidence(): string | undefined {
    return this.#store.labelSets.at(this.#store.rows.labelSet(this.row)).label('confidence');
  }

  readonly measure = (name: FilteredMeasure): number => this.#store.rows.read[name](this.row);
}
