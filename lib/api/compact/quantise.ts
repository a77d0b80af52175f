import type { Position } from '#lib/model/position.ts';
import {
  BIT_DRONE,
  BIT_SIMULATED,
  BIT_TEST,
  KEPT_EXACTLY,
  NOT_REPORTED,
  type QuantisedRecords,
  type Quantity,
  type QuantityName,
  quantitiesOf,
  UNITS_PER,
} from './quantised-records.ts';
import { type ReferenceParts, referenceParts } from './reference-parts.ts';
import { textOrder } from './text-order.ts';

/** Quantities that are taken exactly as given: rounded by nobody. */
const taken: ReadonlySet<QuantityName> = new Set<QuantityName>(['confidenceScore', 'receiverCount']);

const largestUnits = 0x7fffffff;

interface Row {
  readonly parts: ReferenceParts;
  readonly position: Position;
}

/** @param positions of several with one reference the last counts */
export function quantise(positions: Iterable<Position>): QuantisedRecords {
  const rows = sortedRows(positions);
  const stems = stemsOf(rows);
  const labels = labelsOf(rows);
  const labelIndex = new Map(labels.map((label, index) => [label, index]));
  const indexOfLabel = (label: string | undefined) => labelIndex.get(label) as number;
  const count = rows.length;
  return {
    count,
    ...stems,
    refHigh: filled(new Uint32Array(count), rows, ({ parts }) => parts.high),
    refLow: filled(new Uint32Array(count), rows, ({ parts }) => parts.low),
    flags: filled(new Uint8Array(count), rows, ({ position }) => flagsOf(position)),
    labels,
    confidence: filled(new Uint32Array(count), rows, ({ position }) => indexOfLabel(position.confidence)),
    emergency: filled(new Uint32Array(count), rows, ({ position }) => indexOfLabel(position.emergencyState)),
    observedAtMs: filled(new Float64Array(count), rows, ({ position }) => Math.round(position.observedAt) + 0),
    quantities: quantitiesOf((name) => quantityOf(rows, name)),
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
  return textOrder(a.stem, b.stem) || a.high - b.high || a.low - b.low;
}

function stemsOf(rows: readonly Row[]): Pick<QuantisedRecords, 'stems' | 'prefixCount' | 'stem'> {
  const stems: string[] = [];
  const stem = new Uint32Array(rows.length);
  let prefixCount = 0;
  let before: ReferenceParts | undefined;
  for (const [index, { parts }] of rows.entries()) {
    if (parts.stem !== before?.stem || parts.hasDigits !== before.hasDigits) {
      stems.push(parts.stem);
      if (parts.hasDigits) prefixCount++;
    }
    stem[index] = stems.length - 1;
    before = parts;
  }
  return { stems, prefixCount, stem };
}

function labelsOf(rows: readonly Row[]): (string | undefined)[] {
  const labels = new Set<string | undefined>();
  for (const { position } of rows) labels.add(position.confidence).add(position.emergencyState);
  labels.delete(undefined);
  return [undefined, ...(Array.from(labels) as string[]).sort(textOrder)];
}

function flagsOf({ kind, simulated, testBroadcast }: Position): number {
  return (simulated ? BIT_SIMULATED : 0) | (testBroadcast ? BIT_TEST : 0) | (kind === 'drone' ? BIT_DRONE : 0);
}

function quantityOf(rows: readonly Row[], name: QuantityName): Quantity {
  const units = new Int32Array(rows.length);
  const exact = new Map<number, number>();
  for (let index = 0; index < rows.length; index++) {
    const value = reported((rows[index] as Row).position, name);
    const inUnits = value === undefined ? NOT_REPORTED : wholeUnits(value, name);
    units[index] = inUnits;
    if (inUnits === KEPT_EXACTLY) exact.set(index, value as number);
  }
  return { units, exact };
}

function reported(position: Position, name: QuantityName): number | undefined {
  if (name !== 'lifetimeMs') return position[name];
  const { staleAfter, observedAt } = position;
  return staleAfter === undefined ? undefined : Math.round(staleAfter) - Math.round(observedAt);
}

function wholeUnits(value: number, name: QuantityName): number {
  const inUnits = Math.round(value * UNITS_PER[name]);
  const fits = Math.abs(inUnits) < largestUnits && !Object.is(value, -0);
  return fits && (!taken.has(name) || inUnits / UNITS_PER[name] === value) ? inUnits : KEPT_EXACTLY;
}
