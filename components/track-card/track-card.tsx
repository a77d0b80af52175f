'use client';

import { ListPlus, LocateFixed, Ruler, Target, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { placed, ringsAround, startMeasuring } from '#lib/client/measuring/measuring-state.ts';
import { useDisplay, useLookout, usePreferences, useReplay, useValue } from '#lib/client/page/lookout-context.tsx';
import { afterFollowKey, afterIsolateKey, followState } from '#lib/client/page/watch-state.ts';
import { agePhase } from '#lib/model/ageing.ts';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import { KIND_TEXT, LAYER_OF_KIND } from '#lib/model/layer-kind.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { TrackTimes } from '../track-times/track-times.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { type FieldText, fieldText } from './field-text.ts';
import { trackAge } from './track-age.ts';
import { TrackMark } from './track-mark.tsx';
import { TrackTags } from './track-tags.tsx';

/**
 * The selected track: every field of its last received position, and its age; in a replay also its chart. Renders nothing without a
 * selection.
 */
export function TrackCard() {
  const { display } = useLookout();
  const { shownAt, selectedRef, selected, isPast } = useDisplay();
  const [preferences] = usePreferences();
  const hasLoaded = useReplay((summary) => summary?.loading.kind === 'done');
  if (selectedRef === undefined || shownAt === undefined) return null;
  return (
    <section
      aria-label="Selected track"
      data-testid="track-card"
      className="flex min-h-0 flex-col border-line border-b phone:flex-1 phone:overflow-y-auto low:flex-1 low:overflow-y-auto"
    >
      {selected ? (
        <KnownTrackHead selected={selected} shownAt={shownAt} />
      ) : (
        <div className="px-4 pt-3 pb-2">
          <CardHead reference={selectedRef} onClose={() => display.select(undefined)} />
          <p className="mt-2">
            {isPast
              ? hasLoaded
                ? 'Not shown at this time: no position of this reference was received shortly before.'
                : 'Not shown at this time: this part of the past is not loaded, or not all of it.'
              : 'No position of this reference has been received since it was selected.'}
          </p>
          {isPast || <p className="text-caption text-dim">It is shown as soon as it is received in this view.</p>}
        </div>
      )}
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it.
        tabIndex={0}
        className="min-h-0 overflow-y-auto phone:min-h-fit phone:overflow-visible low:min-h-fit low:overflow-visible"
      >
        <TrackTimes />
        {selected && (
          <dl className="px-4 pb-3">
            {fieldText(selected.position, preferences).map((field) => (
              <TrackField key={field.label} field={field} showsNote={preferences.fieldNotes} />
            ))}
          </dl>
        )}
      </div>
    </section>
  );
}

interface KnownTrackHeadProps {
  readonly selected: SelectedTrack;
  readonly shownAt: UpstreamInstant;
}

function KnownTrackHead({ selected, shownAt }: KnownTrackHeadProps) {
  const { display, mapCommands } = useLookout();
  const { layers, covered } = useDisplay();
  const { position, expiresAt, gone } = selected;
  const layerOn = layers[LAYER_OF_KIND[position.kind]].on;
  const age = trackAge(selected, shownAt, { layerOn, covered });
  const phase = gone
    ? 'removed'
    : agePhase(epochMs(position.observedAt), epochMs(expiresAt), position.kind, epochMs(shownAt));
  const isEmergency = emergencyClass(position.emergencyState) === 'emergency';
  return (
    <div className="flex flex-col gap-2 px-4 pt-3 pb-2">
      <CardHead reference={position.ref} onClose={() => display.select(undefined)}>
        <TrackMark
          position={position}
          phase={phase}
          sizePx={28}
          ageS={msBetween(position.observedAt, shownAt) / 1000}
        />
        <TrackTags position={position} />
      </CardHead>
      <div className="flex flex-wrap items-center gap-x-3">
        <FreshnessRing left={age.left} />
        <p data-testid="track-age" className="font-semibold">
          {age.text}
        </p>
        <p className="ml-auto text-caption text-dim">{KIND_TEXT[position.kind]}</p>
      </div>
      {isEmergency && (
        <p className="rounded-control border border-bad px-3 py-1 font-semibold text-bad">
          {emergencyWords(position.emergencyState ?? '')}, as reported
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => mapCommands.run({ kind: 'centre', lon: position.lon, lat: position.lat })}>
          <LocateFixed aria-hidden size={14} />
          Centre
        </Button>
        <CopyButton text={position.ref} label="Copy reference" />
        <MeasuringButtons reference={position.ref} />
      </div>
      <WatchButtons />
    </div>
  );
}

function MeasuringButtons({ reference }: { readonly reference: string }) {
  const { measuring } = useLookout();
  const isMeasuring = useValue(measuring.state).tool === 'measure';
  const anchor = { ref: reference };
  return (
    <>
      <IconButton
        look="plain"
        label={isMeasuring ? 'Measure to this track' : 'Measure from this track'}
        icon={<Ruler />}
        onClick={() =>
          measuring.change((state) => (isMeasuring ? placed(state, anchor) : startMeasuring(state, anchor)))
        }
      />
      <IconButton
        look="plain"
        label="Range rings around this track"
        icon={<Target />}
        onClick={() => measuring.change((state) => ringsAround(state, anchor))}
      />
    </>
  );
}

/** For those who have no Shift key at hand. */
function SelectMoreButton() {
  const { selectsMore } = useLookout();
  const isOn = useValue(selectsMore);
  return (
    <IconButton
      look="plain"
      label="Select more: clicks add to the selection"
      icon={<ListPlus />}
      aria-pressed={isOn}
      onClick={() => selectsMore.set(!isOn)}
    />
  );
}

interface CardHeadProps {
  readonly reference: string;
  readonly onClose: () => void;
  /** The mark first, then tags. */
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

interface TrackFieldProps {
  readonly field: FieldText;
  readonly showsNote: boolean;
}

/** One field: label, value and note. If notes are off, the note is a tooltip. */
function TrackField({ field: { label, value, note }, showsNote }: TrackFieldProps) {
  return (
    <div
      className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-4 py-1"
      title={showsNote ? undefined : note}
    >
      <dt className="text-dim">{label}</dt>
      <dd className={classNames('text-right wrap-anywhere', value === undefined ? 'text-dim italic' : 'font-semibold')}>
        {value ?? NOT_REPORTED}
      </dd>
      {showsNote && <dd className="col-span-2 text-caption text-dim">{note}</dd>}
    </div>
  );
}

/** @param left fraction of the time to live, 1 (just received) to 0; `undefined`, for expired or gone, draws a dashed ring */
function FreshnessRing({ left }: { readonly left: number | undefined }) {
  const lengthPx = 2 * Math.PI * 10;
  return (
    <svg aria-hidden viewBox="0 0 26 26" className="size-7 shrink-0">
      <circle
        cx="13"
        cy="13"
        r="10"
        fill="none"
        strokeWidth="3"
        className={left === undefined ? 'stroke-dim' : 'stroke-line'}
        strokeDasharray={left === undefined ? '3 4' : undefined}
      />
      {left !== undefined && (
        <circle
          cx="13"
          cy="13"
          r="10"
          fill="none"
          strokeWidth="3"
          className="stroke-text"
          strokeDasharray={`${left * lengthPx} ${lengthPx}`}
          transform="rotate(-90 13 13)"
        />
      )}
    </svg>
  );
}

const FOLLOW_TEXT = {
  off: 'Follow',
  on: 'Following',
  paused: 'Resume following',
  lost: 'Follow lost · Show it',
} as const;
const FOLLOW_NOTE = {
  off: '',
  on: 'The map keeps the track in its centre.',
  paused: 'Paused, since the map was moved by hand.',
  lost: '',
} as const;

/** Keeps an eye on the selected track. */
function WatchButtons() {
  const { watch, mapView } = useLookout();
  const state = useValue(watch);
  const { isolated } = state;
  const following = followState(state, useDisplay().selected, useValue(mapView).visible);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        aria-pressed={following === 'on'}
        aria-keyshortcuts="F"
        onClick={() => watch.set(following === 'lost' ? { ...state, following: 'on' } : afterFollowKey(state))}
      >
        {FOLLOW_TEXT[following]}
      </Button>
      <Button aria-pressed={isolated} aria-keyshortcuts="I" onClick={() => watch.set(afterIsolateKey(state))}>
        {isolated ? 'Isolated' : 'Isolate'}
      </Button>
      <SelectMoreButton />
      <p role="status" data-testid="watch-state" className="text-caption text-dim">
        {[FOLLOW_NOTE[following], isolated ? 'Others dimmed, except emergencies.' : ''].filter(Boolean).join(' ')}
      </p>
    </div>
  );
}
