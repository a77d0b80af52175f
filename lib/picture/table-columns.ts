import { FIELD_NAMES, type FieldName } from '#lib/model/record-fields.ts';

export type TableColumn = FieldName | 'age' | 'distance' | 'bearing';

/** A hidden column keeps its place. */
export interface ArrangedColumn {
  readonly name: TableColumn;
  readonly isShown: boolean;
}

const SHOWN_AT_FIRST: readonly TableColumn[] = [
  'kind',
  'ref',
  'altitudeM',
  'heightAglM',
  'speedMps',
  'headingDeg',
  'age',
];
const FURTHER: readonly TableColumn[] = [
  'distance',
  'bearing',
  'emergencyState',
  'confidence',
  'confidenceScore',
  'receiverCount',
  'simulated',
  'testBroadcast',
];

/** New fields come last. */
export const TABLE_COLUMNS: readonly TableColumn[] = [...new Set([...SHOWN_AT_FIRST, ...FURTHER, ...FIELD_NAMES])];

export const DEFAULT_COLUMNS: readonly ArrangedColumn[] = TABLE_COLUMNS.map((name) => ({
  name,
  isShown: SHOWN_AT_FIRST.includes(name),
}));

/** Names a row, so it cannot be hidden. */
export const ROW_NAME = 'ref' satisfies TableColumn;

/** Every column once: kept ones in order, the others hidden. */
export function arrangedColumns(
  kept: readonly { readonly name: string; readonly isShown: boolean }[],
): readonly ArrangedColumn[] {
  const arranged = new Map<TableColumn, boolean>();
  for (const { name, isShown } of kept) {
    const column = TABLE_COLUMNS.find((each) => each === name);
    if (column !== undefined && !arranged.has(column)) arranged.set(column, isShown);
  }
  for (const name of TABLE_COLUMNS) if (!arranged.has(name)) arranged.set(name, false);
  return Array.from(arranged, ([name, isShown]) => ({ name, isShown: isShown || name === ROW_NAME }));
}

export function withColumnShown(
  columns: readonly ArrangedColumn[],
  name: TableColumn,
  isShown: boolean,
): readonly ArrangedColumn[] {
  return columns.map((column) => (column.name === name ? { name, isShown: isShown || name === ROW_NAME } : column));
}

export function withColumnMoved(
  columns: readonly ArrangedColumn[],
  name: TableColumn,
  by: -1 | 1,
): readonly ArrangedColumn[] {
  const from = columns.findIndex((column) => column.name === name);
  const moved = columns[from];
  const other = columns[from + by];
  return moved && other ? columns.with(from, other).with(from + by, moved) : columns;
}
