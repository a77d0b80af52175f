import { ArrowDown, ArrowUp } from 'lucide-react';
import type { UnitSystem } from '#lib/model/units.ts';
import type { TrackOrder } from '#lib/picture/order-tracks.ts';
import { classNames } from '../ui/class-names.ts';
import { orderAfterClick, shownColumns, shownDirection } from './shown-columns.ts';

export interface TrackTableHeadProps {
  readonly units: UnitSystem;
  readonly heightPx: number;
  readonly order: TrackOrder;
  readonly onOrder: (order: TrackOrder) => void;
}

/** The column headers, each of which sorts by its column. None is narrower than it is high, for touch. */
export function TrackTableHead({ units, heightPx, order, onOrder }: TrackTableHeadProps) {
  const columns = shownColumns(units);
  return (
    <>
      <colgroup>
        {columns.map(({ sort, widthPx }) => (
          <col key={sort} style={widthPx === undefined ? {} : { width: Math.max(widthPx, heightPx) }} />
        ))}
      </colgroup>
      <thead className="sticky top-0 z-[1] bg-surface">
        <tr aria-rowindex={1}>
          {columns.map(({ sort, short, long, align }) => {
            const direction = shownDirection(order, sort);
            const Arrow = direction === 'descending' ? ArrowDown : ArrowUp;
            return (
              <th
                key={sort}
                scope="col"
                aria-sort={direction ?? 'none'}
                className="border-line border-b p-0 font-medium last:pr-3"
              >
                <button
                  type="button"
                  title={`${long}. Click to sort`}
                  onClick={() => onOrder(orderAfterClick(order, sort))}
                  style={{ height: heightPx }}
                  className={classNames(
                    'flex w-full items-center gap-0.5 whitespace-nowrap text-caption hover:text-text',
                    align === 'right' ? 'justify-end' : 'justify-start',
                    sort === 'kind' && 'pl-3',
                    direction ? 'font-semibold text-text' : 'text-dim',
                  )}
                >
                  <span aria-hidden>{sort === 'kind' && !direction ? '↕' : short}</span>
                  <span className="sr-only">{long}</span>
                  {direction && <Arrow aria-hidden size={11} />}
                </button>
              </th>
            );
          })}
        </tr>
      </thead>
    </>
  );
}
