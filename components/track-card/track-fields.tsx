'use client';

import type { SelectedTrack } from '#lib/client/display/display-summary.ts';
import { useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import type { Preferences } from '#lib/client/page/preferences.ts';
import { bearingDeg, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { dateTimeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import {
  bearingText,
  compassText,
  distanceText,
  headingText,
  NOT_REPORTED,
  nearDistanceText,
  speedText,
  wholeLengthText,
} from '#lib/model/measure-text.ts';
import type { Position } from '#lib/model/position.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { classNames } from '../ui/class-names.ts';

interface MainFieldsProps {
  readonly position: Position;
  /** Whether the head of the sheet shows the values of `headValues` above. */
  readonly hasHead: boolean;
}

/** The values of a track in words: those that an operator needs first, and the others below its times. */
export function MainFields({ position, hasHead }: MainFieldsProps) {
  const home = useValue(useLookout().home);
  const [{ units, zone }] = usePreferences();
  const fields = mainFields(position, { units, zone, home });
  const large = fields.slice(0, LARGE_COUNT);
  const rest = fields.slice(LARGE_COUNT);
  if (hasHead) return <FieldList name="Main values" fields={fields.filter(({ isInHead }) => !isInHead)} />;
  return (
    <>
      <FieldList name="Main values" fields={large} isLarge />
      <FieldList name="More values" fields={rest} />
    </>
  );
}

export function OtherFields({ position }: { readonly position: Position }) {
  const [{ zone }] = usePreferences();
  return <FieldList name="Other values" fields={otherFields(position, { zone })} />;
}

interface FieldListProps {
  readonly name: string;
  readonly fields: readonly FieldText[];
  readonly isLarge?: boolean;
}

function FieldList({ name, fields, isLarge = false }: FieldListProps) {
  const [{ fieldNotes }] = usePreferences();
  return (
    <dl
      aria-label={name}
      translate="no"
      className={classNames(
        'grid shrink-0 gap-x-3 px-4 pb-1',
        isLarge ? 'grid-cols-[minmax(0,1fr)_auto_auto]' : 'grid-cols-2',
      )}
    >
      {fields.map((field) => (
        <TrackField key={field.label} field={field} showsNote={fieldNotes} isLarge={isLarge} />
      ))}
    </dl>
  );
}

interface TrackFieldProps {
  readonly field: FieldText;
  readonly showsNote: boolean;
  readonly isLarge: boolean;
}

/** Rows have fixed heights. Where notes are off, the note is a tooltip. */
function TrackField({ field: { label, value, detail = '', note }, showsNote, isLarge }: TrackFieldProps) {
  return (
    <div
      className={classNames('flex min-w-0 flex-col py-1', isLarge ? 'justify-between' : 'justify-end')}
      title={showsNote ? undefined : note}
    >
      <dt className="text-caption text-dim leading-[13px]">{label}</dt>
      <dd
        className={classNames(
          'truncate',
          isLarge ? 'h-6 text-[17px] leading-6' : 'h-[18px]',
          value === undefined ? 'text-dim italic' : 'font-semibold',
          isLarge && value === undefined && 'text-body!',
        )}
        title={value && value + detail}
      >
        {value ?? NOT_REPORTED}
        {detail !== '' && <span className={classNames(isLarge && 'font-normal text-caption text-dim')}>{detail}</span>}
      </dd>
      {showsNote && <dd className="text-caption text-dim">{note}</dd>}
    </div>
  );
}

interface FieldText {
  readonly label: string;
  /** `undefined` is "not reported". */
  readonly value: string | undefined;
  /** Small letters after the value. */
  readonly detail?: string;
  readonly isInHead?: boolean;
  /** The field's meaning and limits, according to the contract. */
  readonly note: string;
}

export interface FieldSetting extends Pick<Preferences, 'units' | 'zone'> {
  readonly home: LonLat;
}

/** So many of the main fields are large. */
const LARGE_COUNT = 3;

export function mainFields(position: Position, { units, home }: FieldSetting): FieldText[] {
  const { kind, lat, lon } = position;
  const altitude: FieldText = {
    label: 'Altitude (reference not stated)',
    value: wholeLengthText(units, position.altitudeM),
    note: 'Reported or normalised; its source may differ per track. Not a surveyed height.',
  };
  const height: FieldText = {
    label: 'Height above ground, estimated',
    value: wholeLengthText(units, position.heightAglM),
    note: 'Estimated where available. Not interchangeable with altitude.',
  };
  const [first, second] = kind === 'drone' ? [height, altitude] : [altitude, height];
  return [
    { ...first, isInHead: true },
    {
      label: 'Ground speed',
      value: speedText(units, position.speedMps),
      isInHead: true,
      note: 'As received; not derived from the track.',
    },
    {
      label: 'From home',
      value: distanceText(units, distanceM(home, position)),
      detail: ` ${bearingText(bearingDeg(home, position))}`,
      isInHead: true,
      note: 'Distance and true bearing from the middle of the home view.',
    },
    second,
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
  ];
}

const PILOT: FieldText = {
  label: 'Pilot position',
  value: 'not provided',
  note: 'The service’s contract excludes it.',
};

const NOT_SIMULATED: FieldText = { label: 'Simulated', value: 'no', note: 'Not marked as simulated data.' };

const NO_TEST: FieldText = {
  label: 'Test broadcast',
  value: 'no',
  note: 'Not recognised as a test; that does not prove operational traffic.',
};

export function otherFields(position: Position, { zone }: Pick<FieldSetting, 'zone'>): FieldText[] {
  return [
    {
      label: 'Confidence score',
      value: position.confidenceScore === undefined ? undefined : String(position.confidenceScore),
      note: 'Quality score from the service, 0–1; not a probability.',
    },
    // The head of the card says an emergency.
    ...(emergencyClass(position.emergencyState) === 'emergency' ? [] : [emergencyField(position)]),
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
    // A tag in the head of the card says it where it is so.
    ...(position.simulated ? [] : [NOT_SIMULATED]),
    ...(position.testBroadcast ? [] : [NO_TEST]),
  ];
}

function emergencyField({ emergencyState }: Position): FieldText {
  return {
    label: 'Emergency state',
    value: emergencyState,
    note:
      emergencyState === 'unknown'
        ? 'Unknown is not an all-clear.'
        : 'As reported or projected. Silence is not an all-clear.',
  };
}

interface HeadValue {
  readonly label: string;
  /** `undefined` is "not reported". */
  readonly value: string | undefined;
}

export function headValues(
  { position, expiresAt, gone }: SelectedTrack,
  shownAt: UpstreamInstant,
  { units, home }: Pick<FieldSetting, 'units' | 'home'>,
): readonly HeadValue[] {
  const { kind, heightAglM, altitudeM, speedMps, observedAt } = position;
  const isExpired = gone || shownAt >= expiresAt;
  return [
    kind === 'drone'
      ? { label: 'Height', value: wholeLengthText(units, heightAglM) }
      : { label: 'Altitude', value: wholeLengthText(units, altitudeM) },
    { label: 'Speed', value: speedText(units, speedMps) },
    {
      label: 'From home',
      value: `${nearDistanceText(units, distanceM(home, position))} ${compassText(bearingDeg(home, position))}`,
    },
    { label: isExpired ? 'Age, expired' : 'Age', value: durationText(msBetween(observedAt, shownAt)) },
  ];
}
