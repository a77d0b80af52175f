'use client';

import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import type { Preferences } from '#lib/client/page/preferences.ts';
import { bearingDeg, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { dateTimeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import {
  bearingText,
  distanceText,
  headingText,
  lengthText,
  NOT_REPORTED,
  speedText,
} from '#lib/model/measure-text.ts';
import type { Position } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { classNames } from '../ui/class-names.ts';

/** The values of a track in words: those that an operator needs first, and the others below its times. */
export function MainFields({ position }: { readonly position: Position }) {
  const home = useValue(useLookout().home);
  const [{ units, zone }] = usePreferences();
  return <FieldList name="Main values" fields={mainFields(position, { units, zone, home })} />;
}

export function OtherFields({ position }: { readonly position: Position }) {
  const [{ zone }] = usePreferences();
  return <FieldList name="Other values" fields={otherFields(position, { zone })} />;
}

function FieldList({ name, fields }: { readonly name: string; readonly fields: readonly FieldText[] }) {
  const [{ fieldNotes }] = usePreferences();
  return (
    <dl aria-label={name} translate="no" className="grid shrink-0 grid-cols-2 gap-x-3 px-4 pb-1">
      {fields.map((field) => (
        <TrackField key={field.label} field={field} showsNote={fieldNotes} />
      ))}
    </dl>
  );
}

interface TrackFieldProps {
  readonly field: FieldText;
  readonly showsNote: boolean;
}

/** Rows have fixed heights. Where notes are off, the note is a tooltip. */
function TrackField({ field: { label, value, note }, showsNote }: TrackFieldProps) {
  return (
    <div className="flex min-w-0 flex-col justify-end py-1" title={showsNote ? undefined : note}>
      <dt className="text-caption text-dim leading-[13px]">{label}</dt>
      <dd
        className={classNames('h-[18px] truncate', value === undefined ? 'text-dim italic' : 'font-semibold')}
        title={value}
      >
        {value ?? NOT_REPORTED}
      </dd>
      {showsNote && <dd className="text-caption text-dim">{note}</dd>}
    </div>
  );
}

interface FieldText {
  readonly label: string;
  /** `undefined` is "not reported". */
  readonly value: string | undefined;
  /** The field's meaning and limits, according to the contract. */
  readonly note: string;
}

export interface FieldSetting extends Pick<Preferences, 'units' | 'zone'> {
  readonly home: LonLat;
}

export function mainFields(position: Position, { units, home }: FieldSetting): FieldText[] {
  const { lat, lon } = position;
  return [
    {
      label: 'Altitude (reference not stated)',
      value: lengthText(units, position.altitudeM),
      note: 'Reported or normalised; its source may differ per track. Not a surveyed height.',
    },
    {
      label: 'Height above ground, estimated',
      value: lengthText(units, position.heightAglM),
      note: 'Estimated where available. Not interchangeable with altitude.',
    },
    {
      label: 'Ground speed',
      value: speedText(units, position.speedMps),
      note: 'As received; not derived from the track.',
    },
    {
      label: 'Heading',
      value: headingText(position.headingDeg),
      note: 'Degrees clockwise from north, as received; not derived from the track.',
    },
    {
      label: 'Position',
      value: `${lat.toFixed(5)}, ${lon.toFixed(5)}`,
      note: 'Latitude and longitude, WGS84 decimal degrees, north and east positive.',
    },
    {
      label: 'From home',
      value: `${distanceText(units, distanceM(home, position))} · ${bearingText(bearingDeg(home, position))}`,
      note: 'Distance and true bearing from the middle of the home view.',
    },
  ];
}

const PILOT: FieldText = {
  label: 'Pilot position',
  value: 'not provided by this service',
  note: 'The service’s contract excludes it.',
};

export function otherFields(position: Position, { zone }: Pick<FieldSetting, 'zone'>): FieldText[] {
  return [
    {
      label: 'Confidence (label, score)',
      value: confidenceText(position),
      note: 'Quality score from the service, 0–1; not a probability.',
    },
    {
      label: 'Emergency state',
      value: position.emergencyState,
      note:
        position.emergencyState === 'unknown'
          ? 'Unknown is not an all-clear.'
          : 'As reported or projected. Silence is not an all-clear.',
    },
    {
      label: 'Receivers',
      value: position.receiverCount === undefined ? undefined : String(position.receiverCount),
      note: 'Receivers that heard this position.',
    },
    ...(position.kind === 'drone' ? [PILOT] : []),
    {
      label: 'Observed',
      value: dateTimeText(position.observedAt, zone),
      note: 'Time of the received position; its age is counted from here.',
    },
    {
      label: 'Expires at',
      value: position.staleAfter === undefined ? undefined : dateTimeText(position.staleAfter, zone),
      note:
        position.staleAfter === undefined
          ? 'The record carried no expiry; Lookout’s own time to live for this kind applies.'
          : 'The service’s own expiry of this record.',
    },
    {
      label: 'Simulated',
      value: position.simulated ? 'yes' : 'no',
      note: position.simulated ? 'Simulated data: not traffic.' : 'Not marked as simulated data.',
    },
    {
      label: 'Test broadcast',
      value: position.testBroadcast ? 'yes' : 'no',
      note: position.testBroadcast
        ? 'A recognised TEST broadcast.'
        : 'Not recognised as a test; that does not prove operational traffic.',
    },
  ];
}

function confidenceText({ confidence, confidenceScore }: Position): string | undefined {
  if (confidence === undefined && confidenceScore === undefined) return undefined;
  return `${confidence ?? 'no label'} · ${confidenceScore ?? 'no score'}`;
}

interface HeadValue {
  readonly label: string;
  /** `undefined` is "not reported". */
  readonly value: string | undefined;
}

export function headValues(
  { position, expiresAt, gone }: SelectedTrack,
  shownAt: UpstreamInstant,
  units: UnitSystem,
): readonly HeadValue[] {
  const { kind, heightAglM, altitudeM, speedMps, headingDeg, observedAt } = position;
  const isExpired = gone || shownAt >= expiresAt;
  return [
    kind === 'drone'
      ? { label: 'Height', value: lengthText(units, heightAglM) }
      : { label: 'Altitude', value: lengthText(units, altitudeM) },
    { label: 'Speed', value: speedText(units, speedMps) },
    { label: 'Heading', value: headingText(headingDeg) },
    { label: isExpired ? 'Expired' : 'Age', value: durationText(msBetween(observedAt, shownAt)) },
  ];
}
