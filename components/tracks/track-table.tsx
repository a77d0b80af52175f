'use client';

import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react';
import { useDisplay, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { toggleSelected } from '#lib/client/page/select-more.ts';
import { agePhase } from '#lib/model/ageing.ts';
import { durationText } from '#lib/model/duration-text.ts';
import type { TrackOrder } from '#lib/picture/order-tracks.ts';
import { epochMs } from '#lib/time/instant.ts';
import { isRowKey, rowAfterKey } from './row-after-key.ts';
import { TrackRow } from './track-row.tsx';
import { TrackTableHead } from './track-table-head.tsx';
import type { TrackList } from './use-track-list.ts';

export interface TrackTableProps {
  readonly list: TrackList;
  readonly order: TrackOrder;
  readonly onOrder: (order: TrackOrder) => void;
  readonly rowHeightPx: number;
}

/**
 * The tracks as a grid: the accessible equivalent of the map. Only visible rows are rendered. The focus stays on the grid, which then
 * handles the keys of a list, and `aria-activedescendant` names the active row.
 */
export function TrackTable({ list, order, onOrder, rowHeightPx }: TrackTableProps) {
  const { tracks, slots } = list;
  const lookout = useLookout();
  const { display } = lookout;
  const { selectedRef, selection } = useDisplay();
  const [{ units }] = usePreferences();
  const scroller = useRef<HTMLDivElement>(null);
  const gridId = useId();
  const headHeightPx = rowHeightPx;
  const [activeRef, setActiveRef] = useState<string>();

  const virtualizer = useVirtualizer({
    count: slots.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeightPx,
    overscan: 4,
    scrollMargin: headHeightPx,
    scrollPaddingStart: headHeightPx,
  });
  const items = virtualizer.getVirtualItems();

  const rowOf = (ref: string | undefined): number | undefined => {
    const row = ref === undefined ? -1 : slots.findIndex((slot) => tracks.refAt(slot) === ref);
    return row < 0 ? undefined : row;
  };
  const scrollTo = (row: number) => virtualizer.scrollToIndex(row, { align: 'auto' });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new selection scrolls to its row, a new order must not.
  useEffect(() => {
    const row = rowOf(selectedRef);
    if (row !== undefined) scrollTo(row);
    setActiveRef(selectedRef);
  }, [selectedRef]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows were measured at the old height.
  useEffect(() => virtualizer.measure(), [rowHeightPx]);

  const choose = (ref: string | undefined, by: Pick<MouseEvent, 'shiftKey' | 'ctrlKey' | 'metaKey'>) => {
    if (ref === undefined) return;
    if (by.shiftKey || by.ctrlKey || by.metaKey || lookout.selectsMore.get()) {
      toggleSelected(lookout, ref);
      setActiveRef(ref);
    } else display.select(ref);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || !isRowKey(event.key)) return;
    event.preventDefault();
    if (event.key === 'Enter' || event.key === ' ') {
      choose(activeRef, event);
      return;
    }
    const rowsOnPage = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeightPx) - 2);
    const row = rowAfterKey(event.key, rowOf(activeRef), slots.length, rowsOnPage);
    if (row === undefined) return;
    scrollTo(row);
    setActiveRef(tracks.refAt(slots[row] as number));
  };

  const onClick = (event: MouseEvent) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('tr[data-ref]') : null;
    choose(row?.dataset.ref, event);
  };

  const above = (items[0]?.start ?? headHeightPx) - headHeightPx;
  const below = slots.length * rowHeightPx - above - items.length * rowHeightPx;
  const rowId = (ref: string) => `${gridId}-${ref}`;
  const isActiveRendered = items.some(({ index }) => tracks.refAt(slots[index] as number) === activeRef);

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto phone:min-h-44 low:min-h-44">
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows are chosen by keyboard is a grid.
        role="grid"
        aria-label="Tracks"
        aria-multiselectable
        aria-rowcount={slots.length + 1}
        aria-activedescendant={isActiveRendered && activeRef !== undefined ? rowId(activeRef) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onMouseDown={withoutTextSelection}
        className="group/grid w-full table-fixed border-separate border-spacing-0 text-table -outline-offset-2"
      >
        <TrackTableHead units={units} heightPx={headHeightPx} order={order} onOrder={onOrder} />
        <tbody>
          {above > 0 && <tr aria-hidden style={{ height: above }} />}
          {items.map(({ index }) => {
            const slot = slots[index] as number;
            const position = tracks.positionAt(slot);
            const expiresAtMs = tracks.columns.expiresAtMs[slot] as number;
            return (
              <TrackRow
                key={position.ref}
                id={rowId(position.ref)}
                index={index}
                heightPx={rowHeightPx}
                position={position}
                phase={agePhase(epochMs(position.observedAt), expiresAtMs, position.kind, tracks.atMs)}
                age={durationText(tracks.atMs - epochMs(position.observedAt))}
                ageS={Math.floor((tracks.atMs - epochMs(position.observedAt)) / 1000)}
                units={units}
                selected={selection.refs.includes(position.ref)}
                active={position.ref === activeRef}
              />
            );
          })}
          {below > 0 && <tr aria-hidden style={{ height: below }} />}
        </tbody>
      </table>
    </div>
  );
}

/** A click with Shift selects a row, and not the text up to it. */
function withoutTextSelection(event: MouseEvent<HTMLElement>): void {
  if (!event.shiftKey) return;
  event.preventDefault();
  event.currentTarget.focus();
}
