import type { Position } from '#lib/model/position.ts';
import { flagsOf } from '#lib/model/position-at.ts';
import { byName, LABEL_NAMES, numberField } from '#lib/model/record-fields.ts';
import { epochMs } from '#lib/time/instant.ts';
import {
  KEPT_EXACTLY,
  NO_VALUE,
  QUANTITY_NAMES,
  type QuantisedRecords,
  type Quantity,
  type QuantityName,
  STEPS_PER_UNIT,
  textOrder,
} from './quantised-records.ts';
import { type ReferenceParts, referenceParts } from './reference-parts.ts';

const MAX_STEPS = 0x7fffffff;

interface Row {
  readonly parts: ReferenceParts;
  readonly position: Position;
}

/** @param positions of several with the same reference, the last one is kept */
export function quantise(positions: Iterable<Position>): QuantisedRecords {
  const rows = sortedRows(positions);
  const labels = labelsOf(rows);
  const labelIndex = new Map(labels.map((label, index) => [label, index]));
  const count = rows.length;
  return {
    count,
    ...prefixesOf(rows),
    refHigh: filled(new Uint32Array(count), rows, ({ parts }) => parts.high),
    refLow: filled(new Uint32Array(count), rows, ({ parts }) => parts.low),
    flags: filled(new Uint8Array(count), rows, ({ position }) => flagsOf(position)),
    labels,
    labelIndexes: byName(LABEL_NAMES, (name) =>
      filled(new Uint32Array(count), rows, ({ position }) => labelIndex.get(position[name]) as number),
    ),
    observedAtMs: filled(new Float64Array(count), rows, ({ position }) => Math.round(epochMs(position.observedAt)) + 0),
    quantities: byName(QUANTITY_NAMES, (name) => quantityOf(rows, name)),
  };
}

function filled<T extends Uint8Array | Uint32Array | Float64Array>(
  column: T,
  rows: readonly Row[],
  value: (row: Row) => number,
): T {
  for (let index = 0; index < rows.length; index++) column[index] = value(rows[index] as Row);
  return column;
}

function sortedRows(positions: Iterable<Position>): Row[] {
  const rows: Row[] = [];
  for (const position of positions) rows.push({ parts: referenceParts(position.ref), position });
  rows.sort((a, b) => referenceOrder(a.parts, b.parts));
  return rows.filter(({ position }, index) => rows[index + 1]?.position.ref !== position.ref);
}

function referenceOrder(a: ReferenceParts, b: ReferenceParts): number {
  if (a.hasDigits !== b.hasDigits) return a.hasDigits ? -1 : 1;
  return textOrder(a.prefix, b.prefix) || a.high - b.high || a.low - b.low;
}

function prefixesOf(rows: readonly Row[]): Pick<QuantisedRecords, 'prefixes' | 'wholeFrom' | 'prefix'> {
  const prefixes: string[] = [];
  const prefix = new Uint32Array(rows.length);
  let wholeFrom = 0;
  let before: ReferenceParts | undefined;
  for (const [index, { parts }] of rows.entries()) {
    if (parts.prefix !== before?.prefix || parts.hasDigits !== before.hasDigits) {
      prefixes.push(parts.prefix);
      if (parts.hasDigits) wholeFrom++;
    }
    prefix[index] = prefixes.length - 1;
    before = parts;
  }
  return { prefixes, wholeFrom, prefix };
}

function labelsOf(rows: readonly Row[]): (string | undefined)[] {
  const labels = new Set<string | undefined>();
  for (const { position } of rows) for (const name of LABEL_NAMES) labels.add(position[name]);
  labels.delete(undefined);
  return [undefined, ...(Array.from(labels) as string[]).sort(textOrder)];
}

function quantityOf(rows: readonly Row[], name: QuantityName): Quantity {
  const isExact = name !== 'ttlMs' && numberField(name).isExact === true;
  const perUnit = STEPS_PER_UNIT[name];
  const steps = new Int32Array(rows.length);
  const exact = new Map<number, number>();
  for (let index = 0; index < rows.length; index++) {
    const value = reported((rows[index] as Row).position, name);
    if (value === undefined) steps[index] = NO_VALUE;
    else if (fits(value, perUnit, isExact)) steps[index] = Math.round(value * perUnit);
    else {
      steps[index] = KEPT_EXACTLY;
      exact.set(index, value);
    }
  }
  return { steps, exact };
}

function reported(position: Position, name: QuantityName): number | undefined {
  if (name !== 'ttlMs') return position[name];
  const { staleAfter, observedAt } = position;
  return staleAfter === undefined ? undefined : Math.round(epochMs(staleAfter)) - Math.round(epochMs(observedAt));
}

function fits(value: number, perUnit: number, isExact: boolean): boolean {
  const steps = Math.round(value * perUnit);
  return Math.abs(steps) < MAX_STEPS && !Object.is(value, -0) && (!isExact || steps / perUnit === value);
}
