import { headingText, wholeText } from '#lib/model/measure-text.ts';
import { byName, type MeasureName, type NumberUnit, numberField } from '#lib/model/record-fields.ts';
import { LENGTH_UNIT, lengthIn, SPEED_UNIT, speedIn, UNIT_SYSTEMS, type UnitSystem } from '#lib/model/units.ts';
import type { SortColumn, TrackOrder } from '#lib/picture/order-tracks.ts';

export interface ShownColumn {
  readonly sort: SortColumn;
  readonly short: string;
  /** What the short head stands for. */
  readonly long: string;
  readonly align: 'left' | 'right';
  readonly widthPx: number | undefined;
}

export interface MeasureColumn extends ShownColumn {
  readonly sort: MeasureName;
  readonly textOf: (value: number) => string | undefined;
}

/** Columns of numbers, by the system of units of their heads and cells. */
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

/** The table's columns, with the unit of the values in their heads. */
export function shownColumns(units: UnitSystem): readonly ShownColumn[] {
  return [
    { sort: 'kind', short: '', long: 'Kind', align: 'left', widthPx: 38 },
    { sort: 'ref', short: 'Reference', long: 'Track reference', align: 'left', widthPx: undefined },
    ...MEASURE_COLUMNS[units],
    { sort: 'observedAtMs', short: 'Age', long: 'Age of the position', align: 'right', widthPx: 52 },
  ];
}

/** The order after a click on a head: ascending first, then the other way. A rising age is a falling time. */
export function orderAfterClick(order: TrackOrder, column: SortColumn): TrackOrder {
  if (order.column === column) return { column, descending: !order.descending };
  return { column, descending: column === 'observedAtMs' };
}

/** How the values in a column run as they are shown; `undefined` where the table is sorted by another column. */
export function shownDirection(order: TrackOrder, column: SortColumn): 'ascending' | 'descending' | undefined {
  if (order.column !== column) return undefined;
  return order.descending !== (column === 'observedAtMs') ? 'descending' : 'ascending';
}
