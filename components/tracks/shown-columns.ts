import type { Position } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import type { ArrangedColumn, TableColumn } from '#lib/picture/table-columns.ts';
import { type CellSetting, type HeadSetting, TRACK_COLUMNS } from './track-columns.ts';

export interface ShownColumn {
  readonly name: TableColumn;
  readonly short: string;
  readonly long: string;
  readonly align: 'left' | 'right';
  /** Least width; the reference takes the rest. */
  readonly widthPx: number;
}

export function shownColumns(columns: readonly ArrangedColumn[], setting: HeadSetting): readonly ShownColumn[] {
  return columns.filter(({ isShown }) => isShown).map(({ name }) => shownColumn(name, setting));
}

function shownColumn(name: TableColumn, setting: HeadSetting): ShownColumn {
  const { short, long, align, widthPx } = TRACK_COLUMNS[name];
  return {
    name,
    short: typeof short === 'string' ? short : short(setting),
    long: typeof long === 'string' ? long : long(setting),
    align,
    widthPx: typeof widthPx === 'number' ? widthPx : widthPx(setting),
  };
}

export function columnTitle(name: TableColumn, units: UnitSystem, point: string): string {
  return shownColumn(name, { units, zone: 'utc', point }).long;
}

/** `undefined` is "not reported". Kind, reference and age have cells of their own. */
export function cellText(
  column: Exclude<TableColumn, 'kind' | 'ref' | 'age'>,
  position: Position,
  setting: CellSetting,
): string | undefined {
  return TRACK_COLUMNS[column].text(position, setting);
}
