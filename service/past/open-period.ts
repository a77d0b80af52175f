import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { contains } from './box-in-steps.ts';
import { type FoundRow, FoundRows } from './earliest-rows.ts';
import type { LayerPeriod } from './period.ts';
import type { Asked, RetainedPeriod } from './retained-period.ts';
import { Rows } from './rows.ts';
import { restorerOf } from './stored-observation.ts';

export class OpenPeriod implements RetainedPeriod {
  readonly period: LayerPeriod;
  readonly rows = new Rows();
  /** False if some of the log could not be read. */
  isWhole = true;

  #firstMs = Number.POSITIVE_INFINITY;

  constructor(period: LayerPeriod) {
    this.period = period;
  }

  get firstAt(): UpstreamInstant | undefined {
    return this.rows.length === 0 ? undefined : addMs(this.period.start, this.#firstMs);
  }

  add(rows: Rows): void {
    this.rows.addAll(rows);
    for (let row = 0; row < rows.length; row += 1) this.#firstMs = Math.min(this.#firstMs, rows.columns.offsetMs[row]!);
  }

  find({ box, fromMs, untilMs }: Asked) {
    const found = new FoundRows();
    const { length } = this.rows;
    const { offsetMs, lon, lat } = this.rows.columns;
    for (let row = 0; row < length; row += 1) {
      const offset = offsetMs[row]!;
      if (offset >= fromMs && offset < untilMs && contains(box, lon[row]!, lat[row]!)) found.add(offset, 0, row);
    }
    return Promise.resolve({ rows: found, isWhole: this.isWhole });
  }

  trackKey({ row }: FoundRow): string {
    return this.rows.trackKeys[this.rows.track[row]!]!;
  }

  restore(found: readonly FoundRow[]) {
    const { columns, labels } = this.rows;
    const restored = restorerOf(this.period, columns, labels);
    const observations = found.map((each) => restored(this.trackKey(each), each.row));
    return Promise.resolve({ observations, isWhole: true });
  }
}
