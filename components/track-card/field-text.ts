import type { Preferences } from '#lib/client/page/preferences.ts';
import { bearingDeg, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { dateTimeText } from '#lib/model/clock-text.ts';
import { bearingText, distanceText } from '#lib/model/distance-text.ts';
import { headingText, lengthText, speedText } from '#lib/model/measure-text.ts';
import type { Position } from '#lib/model/position.ts';

export interface FieldText {
  readonly label: string;
  /** `undefined` is "not reported". */
  readonly value: string | undefined;
  /** Meaning and limits, according to the contract. */
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
