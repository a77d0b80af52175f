'use client';

import { useDisplay } from '#lib/client/page/lookout-context.tsx';
import { agePhase } from '#lib/model/ageing.ts';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { epochMs, msBetween } from '#lib/time/instant.ts';
import { trackAge } from '../track-card/track-age.ts';
import { TrackMark } from '../track-card/track-mark.tsx';
import { TrackTags } from '../track-card/track-tags.tsx';

/** What the sheet of a small screen says of itself: the selected track, or how many there are. */
export function SheetHead() {
  const { selected, selectedRef, selection, shownAt, filtered, covered } = useDisplay();
  const others = selection.refs.length - 1;
  if (selectedRef === undefined) return <p className="text-dim">{filtered.shown} positions on the map</p>;
  if (!selected || shownAt === undefined) {
    return (
      <p className="truncate font-mono font-semibold">
        {shortReference(selectedRef)} <SeveralSelected others={others} />
      </p>
    );
  }
  const { position, expiresAt, gone } = selected;
  const phase = gone
    ? 'removed'
    : agePhase(epochMs(position.observedAt), epochMs(expiresAt), position.kind, epochMs(shownAt));
  return (
    <div className="flex items-center gap-2" data-testid="sheet-track">
      <TrackMark position={position} phase={phase} sizePx={25} ageS={msBetween(position.observedAt, shownAt) / 1000} />
      <div className="min-w-0">
        <p className="flex items-center gap-1.5 font-mono font-semibold">
          {shortReference(position.ref)}
          <TrackTags position={position} />
          <SeveralSelected others={others} />
          {emergencyClass(position.emergencyState) === 'emergency' && (
            <span className="truncate font-sans text-bad text-table">
              {emergencyWords(position.emergencyState ?? '')}
            </span>
          )}
        </p>
        <p className="truncate text-dim text-table">{trackAge(selected, shownAt, { layerOn: true, covered }).text}</p>
      </div>
    </div>
  );
}

function SeveralSelected({ others }: { readonly others: number }) {
  if (others < 1) return null;
  return <span className="whitespace-nowrap font-normal font-sans text-dim text-table">· {others + 1} selected</span>;
}
