import type { Preferences } from '#lib/client/page/preferences.ts';
import { dateTimeText } from '#lib/model/clock-text.ts';
import { headingText, lengthText, speedText } from '#lib/model/measure-text.ts';
import type { Position } from '#lib/model/position.ts';

export interface FieldText {
  readonly label: string;
  /** `undefined` is "not reported". */
  readonly value: string | undefined;
  /** What the field means and does not mean, according to the contract. */
  readonly note: string;
}

/** Every field of a position as text, in display order. */
export function fieldText(position: Position, { units, zone }: Pick<Preferences, 'units' | 'zone'>): FieldText[] {
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
      note: 'Degrees clockwise from north. Without a reported heading the mark has no nose.',
    },
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
    { label: 'Latitude', value: position.lat.toFixed(5), note: 'WGS84 decimal degrees, north positive.' },
    { label: 'Longitude', value: position.lon.toFixed(5), note: 'WGS84 decimal degrees, east positive.' },
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
