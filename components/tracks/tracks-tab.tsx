'use client';

import { Search, X } from 'lucide-react';
import { useState } from 'react';
import { z } from 'zod';
import { useDisplay, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { useWindowState } from '#lib/client/page/use-window-state.ts';
import type { SortColumn, TrackOrder } from '#lib/picture/order-tracks.ts';
import { SelectedList } from '../track-card/selected-list.tsx';
import { TrackCard } from '../track-card/track-card.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { shownColumns } from './shown-columns.ts';
import { TrackTable } from './track-table.tsx';
import { useTrackList } from './use-track-list.ts';

export interface TracksTabProps {
  /** On a small screen the selected track's card replaces the table until it is closed. */
  readonly narrow: boolean;
}

export function TracksTab({ narrow }: TracksTabProps) {
  const { selectedRef, selection, isPast: isReplaying } = useDisplay();
  const cardOpen = selectedRef !== undefined;
  return (
    <div className="flex min-h-0 flex-1 flex-col phone:overflow-y-auto low:overflow-y-auto">
      {cardOpen && (
        <div
          className={classNames(
            'flex min-h-0 flex-col phone:max-h-none phone:flex-1 low:max-h-none low:flex-1',
            isReplaying ? 'max-h-[70%]' : selection.refs.length > 1 ? 'max-h-[64%]' : 'max-h-[58%]',
          )}
        >
          <SelectedList />
          <TrackCard />
        </div>
      )}
      {!(narrow && cardOpen) && <TrackFinder narrow={narrow} />}
    </div>
  );
}

/** References are rotating handles: ordering by them means nothing, but it is stable while values change. */
const INITIAL_ORDER: TrackOrder = { column: 'ref', descending: false };

const orderSchema: z.ZodType<TrackOrder> = z.object({
  column: z.custom<SortColumn>((name) => shownColumns('metric').some(({ sort }) => sort === name)),
  descending: z.boolean(),
});

function TrackFinder({ narrow }: TracksTabProps) {
  const { filtered } = useDisplay();
  const [{ emergenciesFirst }, change] = usePreferences();
  const [text, setText] = useState('');
  const [inViewOnly, setInViewOnly] = useState(false);
  const [order, setOrder] = useWindowState('track-order', orderSchema, INITIAL_ORDER);
  const list = useTrackList(text, inViewOnly, order);
  const shown = list.slots.length;
  const isFiltered = text.trim() !== '' || inViewOnly;

  return (
    <>
      <div className="flex gap-2 px-4 pt-3 pb-2">
        <div className="relative min-w-0 flex-1">
          <Search aria-hidden size={14} className="absolute top-1/2 left-2.5 -translate-y-1/2 text-dim" />
          <input
            type="search"
            aria-label="Find a reference"
            placeholder="Find a reference"
            value={text}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              event.preventDefault();
              if (text === '') event.currentTarget.blur();
              else setText('');
            }}
            className="h-8 w-full rounded-control border border-edge bg-background pr-2 pl-8 text-body placeholder:text-dim phone:h-11 phone:text-[16px]"
          />
        </div>
        <Button aria-pressed={inViewOnly} onClick={() => setInViewOnly(!inViewOnly)}>
          In view
        </Button>
      </div>
      <div className="flex min-h-6 items-center gap-3 px-4 pb-1 text-caption text-dim">
        <span data-testid="shown-of-received">
          {shown} of {filtered.received} received shown
        </span>
        {isFiltered && (
          <button
            type="button"
            className="ml-auto inline-flex items-center gap-1 font-medium text-text underline phone:h-11"
            onClick={() => {
              setText('');
              setInViewOnly(false);
            }}
          >
            <X aria-hidden size={11} />
            Show all
          </button>
        )}
        <Button
          shape="small-text"
          look="quiet"
          aria-pressed={emergenciesFirst}
          className={classNames('-mr-2', !isFiltered && 'ml-auto')}
          onClick={() => change({ emergenciesFirst: !emergenciesFirst })}
        >
          Emergencies first
        </Button>
      </div>
      {shown === 0 && (
        <p className="px-4 py-3 text-dim">
          {filtered.received > 0
            ? 'No received position matches.'
            : 'No positions to list; the state of each layer is shown above.'}
        </p>
      )}
      <TrackTable list={list} order={order} onOrder={setOrder} rowHeightPx={narrow ? 44 : 28} />
    </>
  );
}
