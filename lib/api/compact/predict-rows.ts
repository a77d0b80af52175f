import { deadReckon, type Place } from './dead-reckoning.ts';
import { KEPT_EXACTLY, QUANTITY_NAMES, type QuantisedRecords, type QuantityName } from './quantised-records.ts';
import { NEW, type RowPlan } from './row-plan.ts';

type Rows = Pick<RowPlan, 'from' | 'written'>;

/** What each written row's value was before; `base` where the row is new or its value was no whole number of units. */
export function valuesBefore(column: Int32Array, { from, written }: Rows, base: number): Int32Array {
  const values = new Int32Array(written.length);
  for (let at = 0; at < written.length; at++) {
    const indexBefore = from[written[at] as number] as number;
    const value = indexBefore === NEW ? KEPT_EXACTLY : (column[indexBefore] as number);
    values[at] = value > KEPT_EXACTLY ? value : base;
  }
  return values;
}

/**
 * Predicts the quantities of written rows from `before` and from the times of `after`, which are read first: viewers join at
 * any snapshot, so nothing older may count.
 */
export function predictedQuantities(
  before: QuantisedRecords,
  rows: Rows,
  observedAtMs: Float64Array,
  bases: Readonly<Record<QuantityName, number>>,
): Record<QuantityName, Int32Array> {
  const predicted = Object.fromEntries(
    QUANTITY_NAMES.map((name) => [name, valuesBefore(before.quantities[name].units, rows, bases[name])]),
  ) as Record<QuantityName, Int32Array>;
  const place: Place = { lon: 0, lat: 0 };
  for (let at = 0; at < rows.written.length; at++) {
    const index = rows.written[at] as number;
    const indexBefore = rows.from[index] as number;
    if (indexBefore === NEW) continue;
    const elapsedMs = (observedAtMs[index] as number) - (before.observedAtMs[indexBefore] as number);
    deadReckon(before, indexBefore, elapsedMs, place);
    if (place.lon > KEPT_EXACTLY) predicted.lon[at] = place.lon;
    if (place.lat > KEPT_EXACTLY) predicted.lat[at] = place.lat;
  }
  return predicted;
}
