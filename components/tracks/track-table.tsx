'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useDisplay, useLookout, useValue } from '#lib/client/page/lookout-context.tsx';
import { agePhase } from '#lib/model/ageing.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupOfRow, type SortOrder } from '#lib/picture/list-tracks.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { classNames } from '../ui/class-names.ts';
import { orderAfterClick, orderAfterShiftClick, sortOf } from './sort-order.ts';
import type { CellSetting, ShownColumn } from './track-columns.ts';
import { GroupRow, groupText, TrackRow } from './track-rows.tsx';
import type { TrackList } from './use-track-list.ts';

interface TrackTableProps {
  readonly list: TrackList;
  readonly columns: readonly ShownColumn[];
  readonly setting: CellSetting;
  readonly order: SortOrder;
  readonly onOrder: (order: SortOrder) => void;
  readonly rowHeightPx: number;
  readonly headHeightPx: number;
  readonly filterRow: ReactNode;
  readonly filterRowHeightPx: number;
  readonly isWanted: boolean;
  readonly onReached: () => void;
}

/**
 * The accessible equivalent of the map; renders only visible rows. The focus stays on the grid, and
 * `aria-activedescendant` names the active row.
 */
export function TrackTable(props: TrackTableProps) {
  const { list, columns, setting, order, onOrder, rowHeightPx, headHeightPx, filterRow, filterRowHeightPx } = props;
  const { isWanted, onReached } = props;
  const { tracks, rows, groups } = list;
  const lookout = useLookout();
  const { display } = lookout;
  const selection = useDisplay((shown) => shown.selection);
  const { isolated } = useValue(lookout.selecting.focus);
  const selectedRef = selection.primary;
  const scroller = useRef<HTMLDivElement>(null);
  const table = useRef<HTMLTableElement>(null);
  const gridId = useId();
  const headPx = headHeightPx + filterRowHeightPx;
  const headRows = filterRowHeightPx > 0 ? 2 : 1;
  const [activeKey, setActiveKey] = useState<string>();
  /** The reference that a toggle left active: it stays the active row when another track becomes the primary one. */
  const toggledOn = useRef<string>(undefined);

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeightPx,
    overscan: 4,
    scrollMargin: headPx,
    scrollPaddingStart: headPx,
  });
  const items = virtualizer.getVirtualItems();

  /** The key of a row, independent of its index: the track, or the group. References have no space. */
  const keyOf = (row: number): string =>
    row >= 0 ? tracks.refAt(row) : `the heading of ${groups[groupOfRow(row)]?.name}`;
  const indexOf = (key: string | undefined): number | undefined => {
    const index = key === undefined ? -1 : rows.findIndex((row) => keyOf(row) === key);
    return index < 0 ? undefined : index;
  };
  const scrollTo = (index: number) => virtualizer.scrollToIndex(index, { align: 'auto' });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new selection scrolls to its row, a new order must not.
  useEffect(() => {
    const key = toggledOn.current ?? selectedRef;
    toggledOn.current = undefined;
    const index = indexOf(key);
    if (index !== undefined) scrollTo(index);
    setActiveKey(key);
  }, [selectedRef]);

  useEffect(() => {
    if (!isWanted) return;
    table.current?.focus();
    onReached();
  }, [isWanted, onReached]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows were measured at the old height.
  useEffect(() => virtualizer.measure(), [rowHeightPx]);

  const shownNow = (ref: string) => {
    const slot = rows.find((row) => row >= 0 && tracks.refAt(row) === ref);
    if (slot === undefined) return undefined;
    const expiresAtMs = tracks.columns.expiresAtMs[slot] as number;
    return { position: tracks.positionAt(slot), expiresAt: upstreamInstant(expiresAtMs) };
  };

  const choose = (ref: string | undefined, by: Pick<MouseEvent, 'shiftKey' | 'ctrlKey' | 'metaKey'>) => {
    if (ref === undefined) return;
    if (by.shiftKey || by.ctrlKey || by.metaKey || lookout.selecting.addsMore.get()) {
      lookout.selecting.toggle(ref);
      if (display.summary().selectedRef !== selectedRef) toggledOn.current = ref;
      setActiveKey(ref);
    } else display.select(ref, shownNow(ref));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || !isRowKey(event.key)) return;
    event.preventDefault();
    const activeIndex = indexOf(activeKey);
    if (event.key === 'Enter' || event.key === ' ') {
      const row = activeIndex === undefined ? undefined : rows[activeIndex];
      if (row !== undefined && row >= 0) choose(tracks.refAt(row), event);
      return;
    }
    const rowsOnPage = Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - headPx) / rowHeightPx) - 1);
    const index = rowAfterKey(event.key, activeIndex, rows.length, rowsOnPage);
    if (index === undefined) return;
    scrollTo(index);
    setActiveKey(keyOf(rows[index] as number));
  };

  const onClick = (event: MouseEvent) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('tr[data-ref]') : null;
    choose(row?.dataset.ref, event);
  };

  const above = (items[0]?.start ?? headPx) - headPx;
  const below = rows.length * rowHeightPx - above - items.length * rowHeightPx;
  const rowId = (key: string) => `${gridId}-${key.replaceAll(' ', '-')}`;
  const isActiveRendered = items.some(({ index }) => keyOf(rows[index] as number) === activeKey);
  const minWidthPx = columns.reduce((sum, { widthPx }) => sum + widthPx, 0);

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto overscroll-x-contain phone:min-h-44 low:min-h-44">
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows are chosen by keyboard is a grid.
        role="grid"
        ref={table}
        aria-label="Tracks"
        aria-multiselectable
        aria-rowcount={rows.length + headRows}
        aria-activedescendant={isActiveRendered && activeKey !== undefined ? rowId(activeKey) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onMouseDown={withoutTextSelection}
        style={{ minWidth: minWidthPx }}
        className="group/grid w-full table-fixed border-separate border-spacing-0 text-table -outline-offset-2"
      >
        <colgroup>
          {columns.map(({ name, widthPx }) => (
            <col key={name} style={name === 'ref' ? {} : { width: widthPx }} />
          ))}
        </colgroup>
        <TrackTableHead
          columns={columns}
          heightPx={headHeightPx}
          order={order}
          onOrder={onOrder}
          filterRow={filterRow}
        />
        <tbody translate="no">
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {items.map(({ index }) => {
            const row = rows[index] as number;
            const key = keyOf(row);
            const place = { id: rowId(key), rowIndex: index + headRows + 1, heightPx: rowHeightPx };
            if (row < 0) {
              const group = groups[groupOfRow(row)];
              return (
                group && (
                  <GroupRow
                    key={key}
                    {...place}
                    name={group.name}
                    text={groupText(group, groups)}
                    columnCount={columns.length}
                    active={key === activeKey}
                  />
                )
              );
            }
            const position = tracks.positionAt(row);
            const selected = selection.refs.includes(position.ref);
            const expiresAtMs = tracks.columns.expiresAtMs[row] as number;
            return (
              <TrackRow
                key={key}
                {...place}
                columns={columns}
                setting={setting}
                position={position}
                phase={agePhase(epochMs(position.observedAt), expiresAtMs, position.kind, tracks.atMs)}
                age={durationText(tracks.atMs - epochMs(position.observedAt))}
                ageS={Math.floor((tracks.atMs - epochMs(position.observedAt)) / 1000)}
                selected={selected}
                faint={isolated && !selected}
                active={key === activeKey}
              />
            );
          })}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  );
}

function withoutTextSelection(event: MouseEvent<HTMLElement>): void {
  // In a field of the filter row Shift selects text.
  if (!event.shiftKey || (event.target instanceof Element && event.target.closest('input, select'))) return;
  event.preventDefault();
  event.currentTarget.focus();
}

interface TrackTableHeadProps {
  readonly columns: readonly ShownColumn[];
  readonly heightPx: number;
  readonly order: SortOrder;
  readonly onOrder: (order: SortOrder) => void;
  readonly filterRow: ReactNode;
}

/** The head: a click sorts by a column, with Shift as the second one. */
const TrackTableHead = memo(function TrackTableHead(props: TrackTableHeadProps) {
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

const MOVES: ReadonlySet<string> = new Set(['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End']);

export function isRowKey(key: string): boolean {
  return MOVES.has(key) || key === 'Enter' || key === ' ';
}

/** @returns the row that a key moves to; `undefined` if it does not move, or the list is empty */
export function rowAfterKey(
  key: string,
  row: number | undefined,
  count: number,
  rowsOnPage: number,
): number | undefined {
  if (count === 0) return undefined;
  const within = (index: number) => Math.min(Math.max(index, 0), count - 1);
  switch (key) {
    case 'ArrowDown':
      return row === undefined ? 0 : within(row + 1);
    case 'ArrowUp':
      return row === undefined ? count - 1 : within(row - 1);
    case 'PageDown':
      return within((row ?? 0) + rowsOnPage);
    case 'PageUp':
      return within((row ?? 0) - rowsOnPage);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
