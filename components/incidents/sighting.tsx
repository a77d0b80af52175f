'use client';

import type { SightAnswer, SightingCheck, SightingInput } from '#lib/api/watching/sightings.ts';
import { checkLines, type TimeText } from '#lib/incidents/incident-text.ts';
import { type ClockZone, timeFieldText } from '#lib/model/clock-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import {
  Field,
  fieldNumber,
  fieldPlace,
  fieldText,
  fieldTime,
  type Limits,
  refused,
  zoneNote,
} from './incident-fields.tsx';

/** A person's report of something in the sky: its fields, and its check. */

interface SightingFieldsProps {
  readonly zone: ClockZone;
  readonly nowMs: number;
  /** Where the person stood, if it is known. */
  readonly place?: string;
  /** Degrees, if it is known. */
  readonly bearing?: string;
}

export function SightingFields({ zone, nowMs, place = '', bearing = '' }: SightingFieldsProps) {
  return (
    <>
      <Field label={`Seen at, ${zoneNote(zone)}`} name="at" kind="time" value={timeFieldText(nowMs, zone, true)} />
      <Field label="Time ±" name="at_within_s" kind="number" unit="s" value="60" />
      <Field label="Place of the person" name="place" value={place} note="Such as 47.45, 8.55" />
      <span />
      <Measure label="Bearing" name="bearing" within="10" value={bearing} note="Clockwise from true north" />
      <Measure label="Elevation" name="elevation" within="10" optional note="Above the horizon; empty: not known" />
      <Measure label="Distance" name="distance" unit="m" within="500" optional note="Empty: not known" />
      <Field label="Words of the person" name="text" kind="text" maxLength={2000} optional />
    </>
  );
}

interface MeasureProps {
  readonly label: string;
  /** Its fields have `_deg` or `_m` after it. */
  readonly name: string;
  readonly unit?: '°' | 'm';
  /** ± */
  readonly within: string;
  readonly value?: string;
  readonly note: string;
  readonly optional?: boolean;
}

/** A measured value, and how exact it is. */
function Measure({ label, name, unit = '°', within, value = '', note, optional = false }: MeasureProps) {
  const end = unit === '°' ? 'deg' : 'm';
  const both = { kind: 'number', unit, optional } as const;
  return (
    <>
      <Field {...both} label={label} name={`${name}_${end}`} value={value} note={note} />
      <Field {...both} label={`${label} ±`} name={`${name}_within_${end}`} value={within} />
    </>
  );
}

/** @throws LookoutRequestError for what cannot be read */
export function readSighting(fields: FormData, zone: ClockZone): SightingInput {
  const needed = (name: string, label: string, limits: Limits) => {
    const value = fieldNumber(fields, name, label, limits);
    if (value === undefined) throw refused(`${label} is missing.`);
    return value;
  };
  const [at, place] = [fieldTime(fields, 'at', zone), fieldPlace(fields, 'place')];
  if (at === undefined || place === undefined) throw refused('A sighting needs its time and place.');
  const elevation = fieldNumber(fields, 'elevation_deg', 'Elevation', [-90, 90]) ?? null;
  const distance = fieldNumber(fields, 'distance_m', 'Distance', [1, 100_000]) ?? null;
  return {
    at,
    at_within_s: needed('at_within_s', 'Time ±', [0, 900]),
    place,
    bearing_deg: needed('bearing_deg', 'Bearing', [0, 360]),
    bearing_within_deg: needed('bearing_within_deg', 'Bearing ±', [0, 45]),
    elevation_deg: elevation,
    elevation_within_deg: elevation === null ? null : needed('elevation_within_deg', 'Elevation ±', [0, 90]),
    distance_m: distance,
    distance_within_m: distance === null ? null : needed('distance_within_m', 'Distance ±', [0, 100_000]),
    text: fieldText(fields, 'text'),
  };
}

interface SightingCheckListProps {
  readonly check: SightingCheck;
  readonly units: UnitSystem;
  readonly time: TimeText;
  /** Called with a track that is clicked. */
  readonly onSight?: (sight: SightAnswer) => void;
}

export function SightingCheckList({ check, units, time, onSight }: SightingCheckListProps) {
  return (
    <ul aria-label="Check of the sighting" className={onSight ? 'list-disc pl-5' : 'list-disc pl-5 text-caption'}>
      {checkLines(check, units, time).map(({ text, sight }) => (
        <li key={text}>
          {sight && onSight ? (
            <button
              type="button"
              title="Replay that second"
              onClick={() => onSight(sight)}
              className="rounded-control text-left underline decoration-edge underline-offset-2 hover:bg-raised phone:min-h-11"
            >
              {text}
            </button>
          ) : (
            text
          )}
        </li>
      ))}
    </ul>
  );
}
