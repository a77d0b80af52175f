'use client';

import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { useDisplay, useLookout, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { durationText } from '#lib/model/duration-text.ts';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import { distanceText } from '#lib/model/measure-text.ts';
import type { Position } from '#lib/model/position.ts';
import { KIND_TEXT, LAYER_OF_KIND } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { TrackTimes } from '../track-times/track-times.tsx';
import { ConfidenceBadge } from '../ui/confidence-badge.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { onDemand } from '../ui/on-demand.tsx';
import { FollowLost, TrackActions } from './track-actions.tsx';
import { trackAge } from './track-age.ts';
import { MainFields, OtherFields } from './track-fields.tsx';
import { SelectedMark, TrackTags } from './track-mark.tsx';

const TrackAlarms = onDemand('Alarms of the track', () =>
  import('../alarms/zones-tab.tsx').then((module) => module.TrackAlarms),
);

interface TrackCardProps {
  /** A small screen's sheet shows head and actions above the card. */
  readonly narrow: boolean;
}

/** Everything that is known of the selected track, also once it is no longer received. */
export function TrackCard({ narrow }: TrackCardProps) {
  const { display } = useLookout();
  const { shownAt, selectedRef, selected } = useDisplay();
  if (selectedRef === undefined || shownAt === undefined) return null;
  return (
    <section
      aria-label="Selected track"
      data-testid="track-card"
      className="flex min-h-0 flex-col border-line border-b phone:flex-1 phone:overflow-y-auto low:flex-1 low:overflow-y-auto"
    >
      {selected ? (
        <KnownTrackHead selected={selected} shownAt={shownAt} narrow={narrow} />
      ) : (
        <div className="px-4 pt-3 pb-2">
          {!narrow && <CardHead reference={selectedRef} onClose={() => display.select(undefined)} />}
          <TrackAlarms reference={selectedRef} />
          <NothingKnown />
        </div>
      )}
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it.
        tabIndex={0}
        className="min-h-0 overflow-y-auto pb-1 -outline-offset-2 phone:min-h-fit phone:overflow-visible low:min-h-fit low:overflow-visible"
      >
        {selected && <MainFields position={selected.position} hasHead={narrow} />}
        <TrackTimes />
        {selected && <OtherFields position={selected.position} />}
      </div>
    </section>
  );
}

function NothingKnown() {
  const isPast = useDisplay((shown) => shown.isPast);
  const hasLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  if (!isPast) {
    return (
      <>
        <p className="mt-2">No position of this reference has been received since it was selected.</p>
        <p className="text-caption text-dim">It is shown as soon as it is received in this view.</p>
      </>
    );
  }
  return (
    <p className="mt-2">
      {hasLoaded
        ? 'Not shown at this time: no position of this reference was received shortly before.'
        : 'Not shown at this time: this part of the past is not loaded, or not all of it.'}
    </p>
  );
}

interface KnownTrackHeadProps extends TrackCardProps {
  readonly selected: SelectedTrack;
  readonly shownAt: UpstreamInstant;
}

function KnownTrackHead({ selected, shownAt, narrow }: KnownTrackHeadProps) {
  const { display } = useLookout();
  const { layers, covered } = useDisplay();
  const { position } = selected;
  const layerOn = layers[LAYER_OF_KIND[position.kind]].on;
  const age = trackAge(selected, shownAt, { layerOn, covered });
  const isEmergency = emergencyClass(position.emergencyState) === 'emergency';
  return (
    <div translate="no" className="flex shrink-0 flex-col gap-1 px-4 pt-2 pb-1">
      {!narrow && (
        <CardHead reference={position.ref} onClose={() => display.select(undefined)}>
          <SelectedMark track={selected} shownAt={shownAt} sizePx={28} />
          <TrackTags position={position} />
        </CardHead>
      )}
      <div className="flex h-9 items-center gap-x-3">
        <FreshnessRing left={age.left} />
        <p data-testid="track-age" className="line-clamp-2 text-balance font-semibold">
          {narrow ? age.rest : age.text}
        </p>
        <div className="ml-auto flex max-w-[45%] shrink-0 flex-col items-end gap-0.5">
          {!narrow && <p className="text-caption text-dim leading-[15px]">{KIND_TEXT[position.kind]}</p>}
          <ConfidenceBadge label={position.confidence} />
        </div>
      </div>
      {isEmergency && (
        <p className="rounded-control border border-bad px-3 py-1 font-semibold text-bad">
          {emergencyWords(position.emergencyState ?? '')}, as reported
        </p>
      )}
      <TrackAlarms reference={position.ref} />
      {(age.state === 'expired' || age.state === 'gone') && <PossiblySame position={position} />}
      {!narrow && <TrackActions position={position} />}
      {!narrow && <FollowLost />}
    </div>
  );
}

interface CardHeadProps {
  readonly reference: string;
  readonly onClose: () => void;
  /** The mark comes first, then its tags. */
  readonly children?: readonly [ReactNode, ReactNode];
}

function CardHead({ reference, onClose, children }: CardHeadProps) {
  return (
    <div className="flex items-center gap-2">
      {children?.[0]}
      <h2 className="truncate font-mono font-semibold text-[14px]" title={reference} data-testid="track-reference">
        {reference}
      </h2>
      {children?.[1]}
      <IconButton
        look="quiet"
        label="Close: clear the selection"
        shortcut="Escape"
        icon={<X />}
        onClick={onClose}
        className="-mr-2 ml-auto"
      />
    </div>
  );
}

const RING = { cx: 13, cy: 13, r: 10, fill: 'none', strokeWidth: 3 } as const;

/** @param left fraction of the time to live, 1 to 0; `undefined` draws a dashed ring */
function FreshnessRing({ left }: { readonly left: number | undefined }) {
  const lengthPx = 2 * Math.PI * RING.r;
  return (
    <svg aria-hidden viewBox="0 0 26 26" className="size-7 shrink-0">
      <circle
        {...RING}
        className={left === undefined ? 'stroke-dim' : 'stroke-line'}
        strokeDasharray={left === undefined ? '3 4' : undefined}
      />
      {left !== undefined && (
        <circle
          {...RING}
          className="stroke-text"
          strokeDasharray={`${left * lengthPx} ${lengthPx}`}
          transform="rotate(-90 13 13)"
        />
      )}
    </svg>
  );
}

function PossiblySame({ position }: { readonly position: Position }) {
  const { display } = useLookout();
  // This component renders with every answer.
  useDisplay((shown) => shown.shownAt);
  const [{ units }] = usePreferences();
  const guess = display.possiblySame(position);
  if (!guess) return null;
  const { ref, distanceM, gapMs } = guess;
  return (
    <p data-testid="possibly-same">
      Possibly the same:{' '}
      <button
        type="button"
        title="A guess by place, time and kind: references rotate. Select this track."
        onClick={() => display.select(ref)}
        className="inline-flex min-h-6 items-center font-mono font-semibold underline phone:min-h-11"
      >
        {shortReference(ref)}
      </button>
      , {distanceText(units, distanceM)} away
      <span className="text-dim"> · first received {durationText(gapMs)} later</span>
    </p>
  );
}
