'use client';

import { X } from 'lucide-react';
import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { useDisplay, useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import { KIND_TEXT } from '#lib/model/layer-kind.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { headValues } from '../track-card/head-values.ts';
import { FollowLost, TrackActions } from '../track-card/track-actions.tsx';
import { SelectedMark } from '../track-card/track-mark.tsx';
import { TrackTags } from '../track-card/track-tags.tsx';
import { IconButton } from '../ui/icon-button.tsx';

export function SheetHead() {
  const { selected, selectedRef, selection, shownAt } = useDisplay();
  const others = selection.refs.length - 1;
  if (selectedRef === undefined) {
    return <p className="text-dim">Tracks, zones and view</p>;
  }
  if (!selected || shownAt === undefined) {
    return (
      <p className="truncate font-mono font-semibold" data-testid="track-reference" title={selectedRef}>
        {shortReference(selectedRef)} <SeveralSelected others={others} />
      </p>
    );
  }
  return <KnownTrackHead selected={selected} shownAt={shownAt} others={others} />;
}

interface KnownTrackHeadProps {
  readonly selected: SelectedTrack;
  readonly shownAt: UpstreamInstant;
  readonly others: number;
}

function KnownTrackHead({ selected, shownAt, others }: KnownTrackHeadProps) {
  const [{ units }] = usePreferences();
  const { position } = selected;
  return (
    <div translate="no" className="flex flex-col gap-0.5" data-testid="sheet-track">
      <div className="flex h-6 items-center gap-1.5">
        <SelectedMark track={selected} shownAt={shownAt} sizePx={24} />
        <span className="font-semibold">{KIND_TEXT[position.kind]}</span>
        <span className="font-mono" data-testid="track-reference" title={position.ref}>
          {shortReference(position.ref)}
        </span>
        <TrackTags position={position} />
        <SeveralSelected others={others} />
        {emergencyClass(position.emergencyState) === 'emergency' && (
          <strong className="truncate text-bad text-table">{emergencyWords(position.emergencyState ?? '')}</strong>
        )}
      </div>
      <dl className="grid grid-cols-4 gap-x-2">
        {headValues(selected, shownAt, units).map(({ label, value }) => (
          <div key={label} className="min-w-0">
            <dt className="truncate text-dim text-label leading-3">{label}</dt>
            <dd className="truncate font-semibold" {...(value === undefined && { title: NOT_REPORTED })}>
              {value ?? <span className="font-normal text-dim text-table italic">{NOT_REPORTED}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function SeveralSelected({ others }: { readonly others: number }) {
  if (others < 1) return null;
  return <span className="whitespace-nowrap font-normal font-sans text-dim text-table">· {others + 1} selected</span>;
}

export function SheetActions() {
  const { display } = useLookout();
  const { selected, selectedRef } = useDisplay();
  if (selectedRef === undefined) return null;
  return (
    <div className="flex flex-wrap items-center border-line border-b px-4 py-1">
      {selected && <TrackActions position={selected.position} />}
      <IconButton
        look="quiet"
        label="Close: clear the selection"
        shortcut="Escape"
        icon={<X />}
        onClick={() => display.select(undefined)}
        className="-mr-2 ml-auto"
      />
      {selected && <FollowLost />}
    </div>
  );
}
