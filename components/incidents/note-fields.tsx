'use client';

import type { NewIncidentNote } from '#lib/api/watching/incident-actions.ts';
import type { IncidentEntry } from '#lib/api/watching/incidents.ts';
import { ENTRY_TEXT } from '#lib/incidents/incident-text.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { ChoiceField, Field, type FieldRef, placeOf, refused, textOf, timeOf, zoneNote } from './incident-fields.tsx';
import { placeText } from './incident-text.ts';

const KINDS = ['observation', 'decision', 'call'] as const;

interface NoteFieldsProps {
  readonly zone: ClockZone;
  /** The note that the new one corrects. */
  readonly corrected?: IncidentEntry | undefined;
  /** The place of a new note, if it is known. */
  readonly place?: string;
  readonly field?: FieldRef;
}

/** The fields of a note, on the page of its incident and on the map. */
export function NoteFields({ zone, corrected, place = '', field }: NoteFieldsProps) {
  return (
    <>
      <Field label="Note" name="text" kind="text" maxLength={4000} value={corrected?.text ?? ''} field={field} />
      <ChoiceField
        label="Kind"
        name="kind"
        value={corrected?.kind}
        choices={KINDS.map((kind) => ({ value: kind, label: ENTRY_TEXT[kind] }))}
      />
      <Field
        label={`Time, ${zoneNote(zone)}`}
        name="at"
        kind="time"
        optional
        note={corrected ? 'Empty: that of the note' : 'Empty: now'}
      />
      <Field
        label="Place"
        name="place"
        optional
        note="Such as 47.45, 8.55"
        value={corrected?.place ? placeText(corrected.place as [number, number]) : place}
      />
    </>
  );
}

/** @throws LookoutRequestError for what cannot be read */
export function readNote(
  fields: FormData,
  zone: ClockZone,
  now: UpstreamInstant,
  corrected?: IncidentEntry,
): NewIncidentNote {
  const text = textOf(fields, 'text');
  if (text === '') throw refused('Write the note first.');
  return {
    kind: KINDS.find((kind) => kind === textOf(fields, 'kind')) ?? 'observation',
    text,
    at: timeOf(fields, 'at', zone) ?? corrected?.at ?? formatInstant(now),
    place: placeOf(fields, 'place') ?? null,
    corrects: corrected?.id ?? null,
  };
}
