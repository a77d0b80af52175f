import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import { LENGTH_UNIT, SPEED_UNIT, type UnitSystem } from '#lib/model/units.ts';
import { SPEED_DASH } from './chart-options.ts';
import type { HistoryColumns } from './history-columns.ts';
import { VERTICAL_NAME } from './history-text.ts';

/** Names the two lines: one is solid, the other dashed. */
export function ChartLegend({ columns, units }: { readonly columns: HistoryColumns; readonly units: UnitSystem }) {
  const unitOf = (values: HistoryColumns['speeds'], unit: string) =>
    values.some((value) => value !== null) ? unit : <em>{NOT_REPORTED}</em>;
  return (
    <ul className="flex flex-wrap gap-x-3 text-caption">
      <li className="flex items-center gap-1.5">
        <LineSample className="text-text" />
        <span>
          {VERTICAL_NAME[columns.vertical]}, {unitOf(columns.verticals, LENGTH_UNIT[units])}
        </span>
      </li>
      <li className="flex items-center gap-1.5">
        <LineSample className="text-focus" dash={SPEED_DASH} />
        <span>Speed, {unitOf(columns.speeds, `${SPEED_UNIT[units]} (right)`)}</span>
      </li>
    </ul>
  );
}

function LineSample({ className, dash }: { readonly className: string; readonly dash?: readonly number[] }) {
  return (
    <svg aria-hidden width={18} height={4} className={className}>
      <line x1={0} y1={2} x2={18} y2={2} stroke="currentColor" strokeWidth={1.5} strokeDasharray={dash?.join(' ')} />
    </svg>
  );
}
