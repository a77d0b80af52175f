'use client';

import { useDisplay } from '#lib/client/page/lookout-context.tsx';
import { SelectedList } from '../track-card/selected-list.tsx';
import { TrackCard } from '../track-card/track-card.tsx';
import { classNames } from '../ui/class-names.ts';
import { TrackFinder, type TrackFinderProps } from './track-finder.tsx';

export interface TracksTabProps extends Omit<TrackFinderProps, 'narrow'> {
  /** Without room for both, the card replaces the table. */
  readonly oneAtATime: boolean;
  readonly inSheet: boolean;
}

export function TracksTab({ oneAtATime, inSheet, ...finder }: TracksTabProps) {
  const selection = useDisplay((shown) => shown.selection);
  const isReplaying = useDisplay(({ isPast }) => isPast);
  const selectedRef = selection.primary;
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
          <TrackCard narrow={inSheet} />
        </div>
      )}
      {!(oneAtATime && cardOpen) && <TrackFinder narrow={oneAtATime} {...finder} />}
    </div>
  );
}
