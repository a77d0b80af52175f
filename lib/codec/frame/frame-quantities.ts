import { byName } from '#lib/model/record-fields.ts';
import {
  KEPT_EXACTLY,
  NO_VALUE,
  QUANTITY_NAMES,
  type QuantisedRecords,
  type Quantity,
  type QuantityName,
} from '../quantised-records.ts';
import { deadReckon, type Place } from './dead-reckoning.ts';
import {
  carriedOver,
  readBase,
  readDifferences,
  readPredicted,
  valuesBefore,
  writeBase,
  writeDifferences,
  writePredicted,
} from './frame-columns.ts';
import type { FrameReader, FrameWriter } from './frame-parts.ts';
import { NEW, type RowPlan } from './row-plan.ts';

/** How a value is encoded. */
const IN_STEPS = 0;
const ABSENT = 1;
const EXACT = 2;

/** Writes the quantities of written rows. Both sets must use the same dictionaries. */
export function writeQuantities(
  frame: FrameWriter,
  plan: RowPlan,
  before: QuantisedRecords,
  after: QuantisedRecords,
): void {
  const bases = byName(QUANTITY_NAMES, (name) =>
    writeBase(frame, before.quantities[name].steps, after.quantities[name].steps),
  );
  const predicted = predictedQuantities(before, plan, after.observedAtMs, bases);
  for (const name of QUANTITY_NAMES) {
    writeForms(frame, plan, before.quantities[name], after.quantities[name]);
    writePredicted(frame, plan, after.quantities[name].steps, predicted[name]);
  }
}

/** @param observedAtMs of all rows of the decoded set */
export function readQuantities(
  frame: FrameReader,
  plan: RowPlan,
  before: QuantisedRecords,
  observedAtMs: Float64Array,
): Record<QuantityName, Quantity> {
  const bases = byName(QUANTITY_NAMES, (name) => readBase(frame, before.quantities[name].steps));
  const predicted = predictedQuantities(before, plan, observedAtMs, bases);
  return byName(QUANTITY_NAMES, (name) => readQuantity(frame, plan, before.quantities[name], predicted[name]));
}

/**
 * Predicts the quantities of written rows from `before` and from the times of `after`, which are read first. Nothing older than
 * `before` may be used, because viewers join at any snapshot.
 */
export function predictedQuantities(
  before: QuantisedRecords,
  rows: RowPlan,
  observedAtMs: Float64Array,
  bases: Readonly<Record<QuantityName, number>>,
): Record<QuantityName, Int32Array> {
  const predicted = byName(QUANTITY_NAMES, (name) => valuesBefore(before.quantities[name].steps, rows, bases[name]));
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

function readQuantity(frame: FrameReader, plan: RowPlan, before: Quantity, predicted: Int32Array): Quantity {
  const forms = readForms(frame, plan, before);
  const exact = carriedExact(plan, before);
  for (let at = 0; at < forms.length; at++) {
    const index = plan.written[at] as number;
    if (forms[at] === EXACT) exact.set(index, frame.plain.float64());
    else exact.delete(index);
  }
  const steps = carriedOver(before.steps, plan.from);
  readPredicted(frame, plan, steps, predicted);
  for (let at = 0; at < forms.length; at++) {
    const index = plan.written[at] as number;
    if (forms[at] === ABSENT) steps[index] = NO_VALUE;
    else if (forms[at] === EXACT) steps[index] = KEPT_EXACTLY;
    else if ((steps[index] as number) <= KEPT_EXACTLY) throw new Error('the frame is damaged: a value is out of range');
  }
  return { steps, exact };
}

function carriedExact({ from }: RowPlan, before: Quantity): Map<number, number> {
  const exact = new Map<number, number>();
  if (before.exact.size === 0) return exact;
  for (const [index, indexBefore] of from.entries()) {
    const value = before.exact.get(indexBefore);
    if (value !== undefined) exact.set(index, value);
  }
  return exact;
}

/** Writes each form as the difference to the previous one: all zeros if no value appeared or disappeared. */
function writeForms(frame: FrameWriter, { from, written }: RowPlan, before: Quantity, after: Quantity): void {
  const changes = new Int32Array(written.length);
  const exact: number[] = [];
  for (let at = 0; at < written.length; at++) {
    const index = written[at] as number;
    const form = formAt(after, index);
    if (form === EXACT) exact.push(after.exact.get(index) as number);
    changes[at] = form - formAt(before, from[index] as number);
  }
  writeDifferences(frame, changes);
  for (const value of exact) frame.plain.writeDouble(value);
}

function readForms(frame: FrameReader, { from, written }: RowPlan, before: Quantity): Uint8Array {
  const changes = readDifferences(frame, written.length);
  const forms = new Uint8Array(written.length);
  for (let at = 0; at < written.length; at++) {
    const form = formAt(before, from[written[at] as number] as number) + (changes[at] as number);
    if (form < IN_STEPS || form > EXACT) throw new Error('the frame is damaged: a value has no such form');
    forms[at] = form;
  }
  return forms;
}

function formAt({ steps }: Quantity, index: number): number {
  if (index === NEW) return IN_STEPS;
  const value = steps[index] as number;
  return value > KEPT_EXACTLY ? IN_STEPS : value === NO_VALUE ? ABSENT : EXACT;
}
