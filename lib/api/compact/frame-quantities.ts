import { carriedOver, readBase, readPredicted, writeBase, writePredicted } from './frame-columns.ts';
import type { FrameReader, FrameWriter } from './frame-streams.ts';
import { readIntColumn, writeIntColumn } from './int-column.ts';
import { predictedQuantities } from './predict-rows.ts';
import {
  KEPT_EXACTLY,
  NOT_REPORTED,
  QUANTITY_NAMES,
  type QuantisedRecords,
  type Quantity,
  type QuantityName,
  quantitiesOf,
} from './quantised-records.ts';
import { NEW, type RowPlan } from './row-plan.ts';

/** How a value stands in the frame. */
const IN_UNITS = 0;
const ABSENT = 1;
const EXACT = 2;

/** The quantities of written rows. Both sets must stand in the same dictionaries. */
export function writeQuantities(
  frame: FrameWriter,
  plan: RowPlan,
  before: QuantisedRecords,
  after: QuantisedRecords,
): void {
  const bases = quantitiesOf((name) => writeBase(frame, before.quantities[name].units, after.quantities[name].units));
  const predicted = predictedQuantities(before, plan, after.observedAtMs, bases);
  for (const name of QUANTITY_NAMES) {
    writeForms(frame, plan, before.quantities[name], after.quantities[name]);
    writePredicted(frame, plan, after.quantities[name].units, predicted[name]);
  }
}

/** @param observedAtMs of all rows of the set that is read */
export function readQuantities(
  frame: FrameReader,
  plan: RowPlan,
  before: QuantisedRecords,
  observedAtMs: Float64Array,
): Record<QuantityName, Quantity> {
  const bases = quantitiesOf((name) => readBase(frame, before.quantities[name].units));
  const predicted = predictedQuantities(before, plan, observedAtMs, bases);
  return quantitiesOf((name) => readQuantity(frame, plan, before.quantities[name], predicted[name]));
}

function readQuantity(frame: FrameReader, plan: RowPlan, before: Quantity, predicted: Int32Array): Quantity {
  const forms = readForms(frame, plan, before);
  const exact = carriedExact(plan, before);
  for (let at = 0; at < forms.length; at++) {
    const index = plan.written[at] as number;
    if (forms[at] === EXACT) exact.set(index, frame.plain.float64());
    else exact.delete(index);
  }
  const units = carriedOver(before.units, plan.from);
  readPredicted(frame, plan, units, predicted);
  for (let at = 0; at < forms.length; at++) {
    const index = plan.written[at] as number;
    if (forms[at] === ABSENT) units[index] = NOT_REPORTED;
    else if (forms[at] === EXACT) units[index] = KEPT_EXACTLY;
    else if ((units[index] as number) <= KEPT_EXACTLY) throw new Error('the frame is damaged: a value is out of range');
  }
  return { units, exact };
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

/** Each form as a step from the one before: all zeros where no value came or went. */
function writeForms(frame: FrameWriter, { from, written }: RowPlan, before: Quantity, after: Quantity): void {
  const steps = new Int32Array(written.length);
  const exact: number[] = [];
  for (let at = 0; at < written.length; at++) {
    const index = written[at] as number;
    const form = formAt(after, index);
    if (form === EXACT) exact.push(after.exact.get(index) as number);
    steps[at] = form - formAt(before, from[index] as number);
  }
  writeIntColumn(frame, steps);
  for (const value of exact) frame.plain.float64(value);
}

function readForms(frame: FrameReader, { from, written }: RowPlan, before: Quantity): Uint8Array {
  const steps = readIntColumn(frame, written.length);
  const forms = new Uint8Array(written.length);
  for (let at = 0; at < written.length; at++) {
    const form = formAt(before, from[written[at] as number] as number) + (steps[at] as number);
    if (form < IN_UNITS || form > EXACT) throw new Error('the frame is damaged: a value has no such form');
    forms[at] = form;
  }
  return forms;
}

function formAt({ units }: Quantity, index: number): number {
  if (index === NEW) return IN_UNITS;
  const value = units[index] as number;
  return value > KEPT_EXACTLY ? IN_UNITS : value === NOT_REPORTED ? ABSENT : EXACT;
}
