'use client';

import { Maximize, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { useDisplay, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { durationText } from '#lib/model/duration-text.ts';
import { emergencyClass, emergencyWords } from '#lib/model/emergency.ts';
import { lengthText, NOT_REPORTED, speedText } from '#lib/model/measure-text.ts';
import { LAYER_OF_KIND } from '#lib/model/position.ts';
import { without, withPrimary } from '#lib/model/selection.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { classNames } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { type ShownPlace, trackAge } from './track-age.ts';
import { SelectedMark, TrackTags } from './track-mark.tsx';

/**
 * Lists the selected tracks, if there are several, also those no longer received. A press on a row shows its track's card.
 * A track leaves the list only with a change of the selection.
 */
export function SelectedList() {
  const { display, mapCommands, selecting } = useLookout();
  const selection = useDisplay((shown) => shown.selection);
  const note = useValue(selecting.note);
  const count = selection.refs.length;
  if (count < 2) return null;
  return (
    <section
      aria-label="Selected tracks"
      data-testid="selected-list"
      translate="no"
      className="flex shrink-0 flex-col border-line border-b pt-2 pb-1"
    >
      <div className="flex items-center gap-2 pr-2 pl-4">
        <h2 className="font-semibold">{count} selected</h2>
        <IconButton
          look="plain"
          label="Fit the map to the selected tracks"
          icon={<Maximize />}
          onClick={() => mapCommands.run({ kind: 'fit-selected' })}
          className="ml-auto"
        />
        <IconButton
          look="quiet"
          label="Clear the whole selection"
          shortcut="Escape"
          icon={<X />}
          onClick={() => display.select(undefined)}
        />
      </div>
      <p role="status" className="px-4 text-caption empty:hidden">
        {note}
      </p>
      <ul className="max-h-32 overflow-y-auto phone:max-h-none">
        {selection.refs.map((ref) => (
          <SelectedRow key={ref} reference={ref} />
        ))}
      </ul>
    </section>
  );
}

function SelectedRow({ reference }: { readonly reference: string }) {
  const { display } = useLookout();
  const { selection, selectedTracks, shownAt, isPast, layers, covered } = useDisplay();
  const [{ units }] = usePreferences();
  const row = useRef<HTMLLIElement>(null);
  const isPrimary = selection.primary === reference;
  useEffect(() => {
    if (isPrimary) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isPrimary]);
  if (shownAt === undefined) return null;

  const track = selectedTracks.get(reference);
  const position = track?.position;
  const layerOn = position === undefined || layers[LAYER_OF_KIND[position.kind]].on;
  const isEmergency = emergencyClass(position?.emergencyState) === 'emergency';
  return (
    <li ref={row} className={classNames('flex items-center pr-2', isPrimary && 'bg-raised')}>
      <button
        type="button"
        aria-expanded={isPrimary}
        title={reference}
        onClick={() => display.setSelection(withPrimary(selection, reference))}
        className="flex min-h-8 min-w-0 flex-1 items-center gap-2 py-0.5 pl-4 text-left -outline-offset-2 phone:min-h-11"
      >
        {track && <SelectedMark track={track} shownAt={shownAt} sizePx={22} />}
        <span className="font-medium font-mono">{shortReference(reference)}</span>
        {position && <TrackTags position={position} />}
        {isEmergency && (
          <strong className="text-bad text-caption">{emergencyWords(position?.emergencyState ?? '')}</strong>
        )}
        <span className="min-w-0 truncate text-caption text-dim">
          {selectedRowText(track, shownAt, { isPast, units, place: { layerOn, covered } })}
        </span>
      </button>
      <IconButton
        look="quiet"
        label={`Remove ${shortReference(reference)} from the selection`}
        icon={<X />}
        onClick={() => display.setSelection(without(selection, reference))}
      />
    </li>
  );
}

export function selectedRowText(
  track: SelectedTrack | undefined,
  shownAt: UpstreamInstant,
  { isPast, units, place }: { readonly isPast: boolean; readonly units: UnitSystem; readonly place: ShownPlace },
): string {
  if (!track) return isPast ? 'Not shown at this time' : 'Not received since it was selected';
  const age = trackAge(track, shownAt, place);
  if (age.state === 'gone') return age.text;
  const { kind, altitudeM, heightAglM, speedMps, observedAt } = track.position;
  const received = `${durationText(msBetween(observedAt, shownAt))} ago${age.state === 'expired' ? ', expired' : ''}`;
  const height =
    kind === 'drone'
      ? `${lengthText(units, heightAglM) ?? NOT_REPORTED} agl`
      : (lengthText(units, altitudeM) ?? `altitude ${NOT_REPORTED}`);
  const speed = speedText(units, speedMps) ?? `speed ${NOT_REPORTED}`;
  return `${received} · ${height} · ${speed}`;
}
