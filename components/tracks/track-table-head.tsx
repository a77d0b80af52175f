import { ArrowDown, ArrowUp } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import type { SortOrder } from '#lib/picture/list-tracks.ts';
import { classNames } from '../ui/class-names.ts';
import type { ShownColumn } from './shown-columns.ts';
import { orderAfterClick, orderAfterShiftClick, sortOf } from './sort-order.ts';

export interface TrackTableHeadProps {
  readonly columns: readonly ShownColumn[];
  readonly heightPx: number;
  readonly order: SortOrder;
  readonly onOrder: (order: SortOrder) => void;
  readonly filterRow: ReactNode;
}

/** A click sorts by the column; with Shift as the second one. */
export const TrackTableHead = memo(function TrackTableHead(props: TrackTableHeadProps) {
  const { columns, heightPx, order, onOrder, filterRow } = props;
  const hasSecond = order.length > 1;
  return (
    <thead className="sticky top-0 z-[2] bg-surface">
      <tr aria-rowindex={1} className="bg-surface">
        {columns.map(({ name, short, long, align }) => {
          const sort = sortOf(order, name);
          const Arrow = sort?.direction === 'descending' ? ArrowDown : ArrowUp;
          return (
            <th
              key={name}
              scope="col"
              // ARIA allows the attribute only for the first sorted column; the second has a text.
              aria-sort={sort?.place === 1 ? sort.direction : 'none'}
              className={classNames(
                'border-line border-b p-0 font-medium last:pr-3',
                name === 'ref' && 'sticky left-0 z-[1] bg-inherit first:pl-3',
              )}
            >
              <button
                type="button"
                title={`${long}. Click to sort; with Shift as the second column`}
                onClick={(event) => onOrder((event.shiftKey ? orderAfterShiftClick : orderAfterClick)(order, name))}
                style={{ height: heightPx }}
                className={classNames(
                  'flex w-full items-center gap-px whitespace-nowrap text-caption hover:text-text',
                  align === 'right' ? 'justify-end' : 'justify-start',
                  align === 'left' && (name === 'ref' ? 'pl-1.5' : 'pl-3'),
                  sort ? 'font-semibold text-text' : 'text-dim',
                )}
              >
                <span aria-hidden>{name === 'kind' && !sort ? '↕' : short}</span>
                <span className="sr-only">
                  {long}
                  {sort?.place === 2 && `, second, ${sort.direction}`}
                </span>
                {sort && <Arrow aria-hidden size={9} className="shrink-0" />}
                {sort && hasSecond && (
                  <span aria-hidden data-testid="sort-place" className="text-[8px]">
                    {sort.place}
                  </span>
                )}
              </button>
            </th>
          );
        })}
      </tr>
      {filterRow}
    </thead>
  );
});
