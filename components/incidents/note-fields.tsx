'use client';

import type { IncidentEntry } from '#lib/api/watching/incidents.ts';
import { addIncidentNote } from '#lib/client/incidents/incidents-query.ts';
import { useDesk, useDeskPreferences } from '#lib/client/page/desk.tsx';
import { ENTRY_TEXT } from '#lib/incidents/incident-text.ts';
import { formatInstant } from '#lib/time/instant.ts';
import { ChoiceField } from '../ui/form-fields.tsx';
import {
  Field,
  type FieldRef,
  fieldPlace,
  fieldText,
  fieldTime,
  IncidentForm,
  refused,
  zoneNote,
} from './incident-fields.tsx';
import { lonLatText } from './incident-text.ts';

const KINDS = ['observation', 'decision', 'call'] as const;

interface NoteFormProps {
  /** The id of the incident. */
  readonly incident: string;
  /** The note or sighting that the new note corrects. */
  readonly corrected?: IncidentEntry;
  /** The place of a new note, if it is known. */
  readonly place?: string;
  readonly field?: FieldRef;
  readonly shut?: string | undefined;
  /** Called with the id of the new note. */
  readonly onDone: (note: string) => void;
}

/** Writes a note, on the page of its incident and on the map. */
export function NoteForm({ incident, corrected, place = '', field, shut, onDone }: NoteFormProps) {
  const { presumedNow } = useDesk();
  const [{ zone }] = useDeskPreferences();
  const write = (fields: FormData) => {
    const text = fieldText(fields, 'text');
    if (text === '') throw refused('Write the note first.');
    return addIncidentNote(incident, {
      kind: KINDS.find((kind) => kind === fieldText(fields, 'kind')) ?? 'observation',
      text,
      at: fieldTime(fields, 'at', zone) ?? corrected?.at ?? formatInstant(presumedNow()),
      place: fieldPlace(fields, 'place') ?? null,
      corrects: corrected?.id ?? null,
    });
  };
  return (
    <IncidentForm button={corrected ? 'Write correction' : 'Write note'} shut={shut} run={write} onDone={onDone}>
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
        value={corrected?.place ? lonLatText(corrected.place as [number, number]) : place}
      />
    </IncidentForm>
  );
}
