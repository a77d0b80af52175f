'use client';

import { useState } from 'react';
import type { IncidentEntry, OneIncident } from '#lib/api/watching/incidents.ts';
import { addIncidentNote } from '#lib/client/incidents/incidents-query.ts';
import { useDesk, useDeskPreferences } from '#lib/client/page/desk.tsx';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { formatInstant } from '#lib/time/instant.ts';
import { ChangeForm, ChangeNotes, useChange } from '../account/change.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { classNames } from '../ui/class-names.ts';
import { ChoiceField, Field, type FieldRef, placeOf, textOf, timeOf, zoneNote } from './incident-fields.tsx';
import { correctionLines } from './incident-tables.ts';
import { ENTRY_TEXT, personText, placeText, type TimeText } from './incident-text.ts';
import { type Sighting, SightingCheckList, seenText } from './sighting.tsx';

const KINDS = ['observation', 'decision', 'call'] as const;

interface NotesCardProps {
  readonly one: OneIncident;
  readonly zone: ClockZone;
  readonly time: TimeText;
  readonly mayWrite: boolean;
}

/** Notes and sightings, the latest first, and the form of a new note. Notes are never edited: a correction is a new one. */
export function NotesCard({ one: { incident, notes }, zone, time, mayWrite }: NotesCardProps) {
  const [corrected, setCorrected] = useState<IncidentEntry>();
  return (
    <Card title="Notes">
      {mayWrite && (
        <NoteForm
          key={corrected?.id ?? ''}
          id={incident.id}
          corrected={corrected}
          zone={zone}
          time={time}
          onDone={() => setCorrected(undefined)}
        />
      )}
      {notes.length === 0 && <p className="text-dim">No notes yet.</p>}
      <ol aria-label="Notes, latest first" className="flex flex-col gap-3">
        {notes.toReversed().map((note) => (
          <Entry
            key={note.id}
            note={note}
            notes={notes}
            time={time}
            onCorrect={mayWrite && note.kind !== 'sighting' ? () => setCorrected(note) : undefined}
          />
        ))}
      </ol>
    </Card>
  );
}

interface NoteFormProps extends Pick<NotesCardProps, 'zone' | 'time'> {
  readonly id: string;
  /** The place of a new note. */
  readonly place?: string;
  readonly field?: FieldRef;
  readonly corrected: IncidentEntry | undefined;
  readonly onDone: () => void;
}

export function NoteForm({ id, place = '', field, corrected, zone, time, onDone }: NoteFormProps) {
  const { presumedNow } = useDesk();
  const change = useChange();
  const write = async (fields: FormData) => {
    await addIncidentNote(id, {
      kind: KINDS.find((kind) => kind === textOf(fields, 'kind')) ?? 'observation',
      text: textOf(fields, 'text'),
      at: timeOf(fields, 'at', zone) ?? corrected?.at ?? formatInstant(presumedNow()),
      place: placeOf(fields, 'place') ?? null,
      corrects: corrected?.id ?? null,
    });
    onDone();
    return 'Written.';
  };
  return (
    <>
      {corrected && (
        <p role="status">
          Correction of the note of {time(corrected.at)}: “{corrected.text}”
        </p>
      )}
      <ChangeForm change={change} onSubmit={write}>
        <Field
          label={corrected ? 'Corrected note' : 'Note'}
          name="text"
          kind="text"
          maxLength={4000}
          field={field}
          {...(corrected && { value: corrected.text })}
        />
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
        <div data-whole-row className="flex gap-2">
          <Button type="submit" look="primary" disabled={change.isSending}>
            {corrected ? 'Write correction' : 'Write note'}
          </Button>
          {corrected && <Button onClick={onDone}>Cancel</Button>}
        </div>
      </ChangeForm>
      <ChangeNotes change={change} />
    </>
  );
}

interface EntryProps extends Pick<NotesCardProps, 'time'> {
  readonly note: IncidentEntry;
  readonly notes: readonly IncidentEntry[];
  readonly onCorrect: (() => void) | undefined;
}

function Entry({ note, notes, time, onCorrect }: EntryProps) {
  const [{ units }] = useDeskPreferences();
  const { kind, text, at, by, place, check, sighting } = note;
  const isCorrected = notes.some(({ corrects }) => corrects === note.id);
  return (
    <li className={classNames('border-l-3 pl-2', kind === 'decision' ? 'border-text' : 'border-line')}>
      <p className="flex flex-wrap items-center gap-x-2 text-caption text-dim">
        <span>
          <span className="font-semibold text-text">{ENTRY_TEXT[kind]}</span> · {time(at)} · {personText(by)}
          {place && ` · ${placeText(place as [number, number])}`}
        </span>
        {onCorrect && (
          <Button look="quiet" shape="small-text" aria-label={`Correct the note of ${time(at)}`} onClick={onCorrect}>
            Correct
          </Button>
        )}
      </p>
      {correctionLines(note, notes, time).map((line) => (
        <p key={line} className="font-medium text-caption">
          {line}
        </p>
      ))}
      <p className={classNames('whitespace-pre-wrap break-words', isCorrected && 'text-dim line-through')}>{text}</p>
      {sighting !== null && <p className="text-caption">Seen {seenText(sighting as Sighting, units)}</p>}
      {check && <SightingCheckList check={check} units={units} time={time} />}
    </li>
  );
}
