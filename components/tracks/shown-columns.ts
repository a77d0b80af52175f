import { headingText, wholeText } from '#lib/model/measure-text.ts';
import { byName, type MeasureName, type NumberUnit, numberField } from '#lib/model/record-fields.ts';
import { LENGTH_UNIT, lengthIn, SPEED_UNIT, speedIn, UNIT_SYSTEMS, type UnitSystem } from '#lib/model/units.ts';
import type { SortColumn, TrackOrder } from '#lib/picture/order-tracks.ts';

export interface ShownColumn {
  readonly sort: SortColumn;
  readonly short: string;
  /** Full name, for tooltips and screen readers. */
  readonly long: string;
  readonly align: 'left' | 'right';
  readonly widthPx: number | undefined;
}

export interface MeasureColumn extends ShownColumn {
  readonly sort: MeasureName;
  readonly textOf: (value: number) => string | undefined;
}

/** The numeric columns, by system of units. */
export const MEASURE_COLUMNS = byName(UNIT_SYSTEMS, (units): readonly MeasureColumn[] => {
  const length = LENGTH_UNIT[units];
  const speed = SPEED_UNIT[units];
  const textOfUnit: Readonly<Record<NumberUnit, MeasureColumn['textOf']>> = {
    m: (metres) => wholeText(lengthIn(units, metres)),
    mps: (mps) => wholeText(speedIn(units, mps)),
    deg: headingText,
    '1': wholeText,
  };
  const column = (sort: MeasureName, short: string, long: string, widthPx: number): MeasureColumn => ({
    sort,
    short,
    long,
    align: 'right',
    widthPx,
    textOf: textOfUnit[numberField(sort).unit],
  });
  return [
    column('altitudeM', `Alt ${length}`, `Altitude in ${length}, reference not stated`, 48),
    column('heightAglM', `AGL ${length}`, `Height above ground in ${length}, estimated`, 48),
    column('speedMps', speed, `Ground speed in ${speed}`, 38),
    column('headingDeg', 'Hdg', 'Heading in degrees from north', 40),
  ];
});

/** The table's columns, with units in the headers. */
export function shownColumns(units: UnitSystem): readonly ShownColumn[] {
  return [
    { sort: 'kind', short: '', long: 'Kind', align: 'left', widthPx: 38 },
    { sort: 'ref', short: 'Reference', long: 'Track reference', align: 'left', widthPx: undefined },
    ...MEASURE_COLUMNS[units],
    { sort: 'observedAtMs', short: 'Age', long: 'Age of the position', align: 'right', widthPx: 52 },
  ];
}

/** The order after a click on a header: ascending first, then reversed. Ascending age is descending time. */
export function orderAfterClick(order: TrackOrder, column: SortColumn): TrackOrder {
  if (order.column === column) return { column, descending: !order.descending };
  return { column, descending: column === 'observedAtMs' };
}

/** Sort direction of a column's displayed values; `undefined` if the table is sorted by another column. */
export function shownDirection(order: TrackOrder, column: SortColumn): 'ascending' | 'descending' | undefined {
  if (order.column !== column) return undefined;
  return order.descending !== (column === 'observedAtMs') ? 'descending' : 'ascending';
}
