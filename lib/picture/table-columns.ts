import { bearingDeg, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { FIELD_NAMES, type FieldName, type LabelName, RECORD_FIELDS } from '#lib/model/record-fields.ts';
import type { TrackMoment } from './pictured-tracks.ts';

/** The columns of the list of tracks: which there are, how an operator arranges them, and their values. */
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

/** All columns in their first order. New fields come last. */
export const TABLE_COLUMNS: readonly TableColumn[] = [...new Set([...SHOWN_AT_FIRST, ...FURTHER, ...FIELD_NAMES])];

export const DEFAULT_COLUMNS: readonly ArrangedColumn[] = TABLE_COLUMNS.map((name) => ({
  name,
  isShown: SHOWN_AT_FIRST.includes(name),
}));

/** This column names a row, so it cannot be hidden. */
export const ROW_NAME = 'ref' satisfies TableColumn;

/** Lists every column once: kept ones in their order, then the others, hidden. */
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

export type ValueColumn = Exclude<TableColumn, 'ref'>;

export type ListedTracks = Pick<TrackMoment, 'atMs' | 'columns' | 'refAt' | 'labelAt'>;

/**
 * Degrees, metres, metres per second, milliseconds, or a label's rank in the alphabet. NaN means "not reported".
 * @param scratch at least `columns.end` long. The result may be this array, or a column
 */
export function columnValues(
  tracks: ListedTracks,
  column: ValueColumn,
  from: LonLat | undefined,
  slots: readonly number[],
  scratch: Float64Array,
): Float64Array {
  const { columns, atMs } = tracks;
  switch (column) {
    case 'observedAt':
      return columns.observedAtMs;
    case 'staleAfter':
      return columns.staleAfterMs;
    case 'age':
      for (const slot of slots) scratch[slot] = atMs - (columns.observedAtMs[slot] as number);
      return scratch;
    case 'kind':
    case 'simulated':
    case 'testBroadcast': {
      const { bit } = RECORD_FIELDS[column];
      for (const slot of slots) scratch[slot] = (columns.style[slot] as number) & bit ? 1 : 0;
      return scratch;
    }
    case 'confidence':
    case 'emergencyState':
      return labelRanks(tracks, column, slots, scratch);
    case 'distance':
    case 'bearing': {
      const of = column === 'distance' ? distanceM : bearingFrom;
      // All slots share one object: twenty thousand are compared at a time.
      const place = { lon: 0, lat: 0 };
      for (const slot of slots) {
        place.lon = columns.lon[slot] as number;
        place.lat = columns.lat[slot] as number;
        scratch[slot] = from ? of(from, place) : Number.NaN;
      }
      return scratch;
    }
    default:
      return columns[column];
  }
}

/** The initial bearing from true north; NaN from a place to itself. */
export function bearingFrom(from: LonLat, to: LonLat): number {
  return from.lon === to.lon && from.lat === to.lat ? Number.NaN : bearingDeg(from, to);
}

function labelRanks(
  { labelAt }: ListedTracks,
  name: LabelName,
  slots: readonly number[],
  scratch: Float64Array,
): Float64Array {
  const ranks = new Map<string, number>();
  for (const slot of slots) {
    const label = labelAt(slot, name);
    if (label !== undefined) ranks.set(label, 0);
  }
  for (const [rank, label] of [...ranks.keys()].sort().entries()) ranks.set(label, rank);
  for (const slot of slots) {
    const label = labelAt(slot, name);
    scratch[slot] = label === undefined ? Number.NaN : (ranks.get(label) as number);
  }
  return scratch;
}
