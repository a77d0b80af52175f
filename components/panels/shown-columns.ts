import { LENGTH_UNIT, SPEED_UNIT, type UnitSystem } from '#lib/model/units.ts';
import type { SortColumn, TrackOrder } from '#lib/picture/order-tracks.ts';

export interface ShownColumn {
  readonly sort: SortColumn;
  readonly short: string;
  /** What the short head stands for. */
  readonly long: string;
  readonly align: 'left' | 'right';
  readonly widthPx: number | undefined;
}

/** The table's columns, with the unit of the values in their heads. */
export function shownColumns(units: UnitSystem): readonly ShownColumn[] {
  const length = LENGTH_UNIT[units];
  const speed = SPEED_UNIT[units];
  const number = { align: 'right' } as const;
  return [
    { sort: 'kind', short: '', long: 'Kind', align: 'left', widthPx: 38 },
    { sort: 'ref', short: 'Reference', long: 'Track reference', align: 'left', widthPx: undefined },
    {
      sort: 'altitudeM',
      short: `Alt ${length}`,
      long: `Altitude in ${length}, reference not stated`,
      ...number,
      widthPx: 48,
    },
    {
      sort: 'heightAglM',
      short: `AGL ${length}`,
      long: `Height above ground in ${length}, estimated`,
      ...number,
      widthPx: 48,
    },
    { sort: 'speedMps', short: speed, long: `Ground speed in ${speed}`, ...number, widthPx: 38 },
    { sort: 'headingDeg', short: 'Hdg', long: 'Heading in degrees from north', ...number, widthPx: 40 },
    { sort: 'observedAtMs', short: 'Age', long: 'Age of the position', ...number, widthPx: 52 },
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
