import * as z from 'zod/mini';
import type { TrackFilter, ValueRange } from '#lib/filter/track-filter.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import type { ListRanges } from '#lib/picture/list-tracks.ts';
import { TABLE_COLUMNS, type TableColumn } from '#lib/picture/table-columns.ts';
import { type ColumnsFilteredBy, type Scale, TRACK_COLUMNS } from './track-columns.ts';

export type FilteredColumn = ColumnsFilteredBy<'page-range'>;
/** The page's filter has no criterion for these columns. */
export type ListedColumn = ColumnsFilteredBy<'list-range'>;
export type ChoiceColumn = ColumnsFilteredBy<'choice'>;

export type FilterField =
  | { readonly is: 'search' | 'labels' | 'by-age' }
  | { readonly is: 'page-range'; readonly column: FilteredColumn }
  | { readonly is: 'list-range'; readonly column: ListedColumn }
  | { readonly is: 'choice'; readonly column: ChoiceColumn };

export function filterField(column: TableColumn): FilterField {
  return { is: TRACK_COLUMNS[column].filter.is, column } as FilterField;
}

export const LISTED_COLUMNS = TABLE_COLUMNS.filter(
  (column): column is ListedColumn => TRACK_COLUMNS[column].filter.is === 'list-range',
);

export function criterionOf(column: FilteredColumn) {
  return column === 'age' ? 'ageS' : column;
}

export function scaleOf(column: FilteredColumn | ListedColumn, units: UnitSystem): Scale {
  return TRACK_COLUMNS[column].filter.scale(units);
}

/** Whether a range may cross north, as from 350° to 10°. */
export function isCircular(column: FilteredColumn | ListedColumn): boolean {
  return 'isAroundNorth' in TRACK_COLUMNS[column].filter;
}

export function rangeFieldText(range: ValueRange | undefined, { shown, decimals }: Scale): string {
  if (!range) return '';
  const text = (value: number | undefined) =>
    value === undefined ? '' : String(Number(shown(value).toFixed(decimals)) + 0);
  return `${text(range.from)}..${text(range.to)}`;
}

export function storedRange(range: ValueRange | undefined, { stored }: Scale): ValueRange | undefined {
  const convert = (value: number | undefined) => (value === undefined ? undefined : stored(value));
  return range && { from: convert(range.from), to: convert(range.to) };
}

export function choicesOf(column: ChoiceColumn): readonly (readonly [value: string, label: string])[] {
  return Object.entries(TRACK_COLUMNS[column].filter.choices);
}

export function chosenOf({ kind, emergency, simulated, testBroadcast }: TrackFilter, column: ChoiceColumn) {
  return { kind, emergencyState: emergency, simulated, testBroadcast }[column];
}

export function afterChoice(column: ChoiceColumn, value: string): Partial<TrackFilter> {
  const oneOf = <T extends string>(...known: readonly T[]) => known.find((each) => each === value);
  switch (column) {
    case 'kind':
      return { kind: oneOf('aircraft', 'drone') };
    case 'emergencyState':
      return { emergency: oneOf('only') };
    case 'simulated':
      return { simulated: oneOf('only', 'hide') };
    case 'testBroadcast':
      return { testBroadcast: oneOf('only', 'hide') };
  }
}

/** The range of each column, in stored units. */
export type ListedRanges = Readonly<Partial<Record<ListedColumn, ValueRange>>>;

export function rangesOf(ranges: ListedRanges): ListRanges {
  return new Map(
    LISTED_COLUMNS.flatMap((column) => {
      const range = ranges[column];
      return range ? [[column, range] as const] : [];
    }),
  );
}

const end = z.pipe(
  z.nullish(z.number()),
  z.transform((value) => value ?? undefined),
);
const range = z
  .object({ from: end, to: end })
  .check(z.refine(({ from, to }) => from !== undefined || to !== undefined));

export interface TableNarrowing {
  readonly text: string;
  /** As the counts above the map; the table otherwise lists every received track, also of a home area elsewhere. */
  readonly inViewOnly: boolean;
  readonly ranges: ListedRanges;
}

export const narrowingSchema: z.ZodMiniType<TableNarrowing> = z.object({
  text: z.catch(z.string(), ''),
  inViewOnly: z.catch(z.boolean(), true),
  ranges: z.catch(z.partialRecord(z.enum(LISTED_COLUMNS), range), {}),
});
export const NO_NARROWING: TableNarrowing = { text: '', inViewOnly: true, ranges: {} };

const nounOf = (column: ListedColumn) => TRACK_COLUMNS[column].filter.noun;

export function narrowingTexts({ text, ranges }: TableNarrowing, units: UnitSystem): readonly string[] {
  const wanted = text.trim();
  return [
    ...(wanted === '' ? [] : [`“${wanted}”`]),
    ...LISTED_COLUMNS.flatMap((column) => {
      const typed = rangeFieldText(ranges[column], scaleOf(column, units));
      return typed === '' ? [] : [`${nounOf(column)} ${typed}`];
    }),
  ];
}

export function unknownListedTexts(
  unknown: ReadonlyMap<string, number>,
  treatment: TrackFilter['unknown'],
): readonly string[] {
  return LISTED_COLUMNS.flatMap((column) => {
    const count = unknown.get(column) ?? 0;
    const verb = `${count === 1 ? 'is' : 'are'} ${treatment === 'show' ? 'shown' : 'hidden'}`;
    return count === 0 ? [] : [`${count} with unknown ${nounOf(column)} ${verb}`];
  });
}
