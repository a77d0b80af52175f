'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useId, useState } from 'react';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { HAND_OVER_NOTE_MAX_LENGTH, type HandOverNote } from '#lib/api/watching/hand-over.ts';
import { isPending, stageOf } from '#lib/client/alarms/alarm-book.ts';
import { handOverQuery, markNotesRead, unreadNotes, writeNote } from '#lib/client/alarms/hand-over-query.ts';
import { useOpenIncidents } from '#lib/client/incidents/incidents-query.ts';
import { useLookout, useMay, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { useAlarms, useNow } from '#lib/client/page/use-alarms.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { recentTimeText } from '#lib/model/clock-text.ts';
import { instantOf, parseInstant } from '#lib/time/instant.ts';
import { alarmHeadline } from '#lib/zones/alarm-words.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FIELD } from '../ui/form-fields.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { noZonesText } from '../zones/no-zones.tsx';
import { watchedText } from '../zones/zone-text.ts';
import { alarmTags, openedText, stageText } from './alarm-text.ts';

/** Lists of open alarms and unwatched zones name so many. */
const NAMED_MAX = 5;

/** How many notes for the next shift the operator has not read. */
export function useUnreadNotes(): readonly HandOverNote[] {
  const { data } = useQuery(handOverQuery());
  const [{ handOverRead }] = usePreferences();
  return data ? unreadNotes(data.notes, handOverRead) : [];
}

/** Shows unread notes once, when the page is opened. Closing it leaves them unread for the next time. */
export function HandOverDialog() {
  const { zones } = useLookout();
  const { data } = useQuery(handOverQuery());
  const unread = useUnreadNotes();
  const [state, setState] = useState<'waiting' | 'open' | 'over'>('waiting');
  const isFirst = state === 'waiting' && data !== undefined;
  if (isFirst) setState(unread.length > 0 ? 'open' : 'over');
  if (state !== 'open' || unread.length === 0) return null;
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && setState('over')}
      title="Hand-over"
      description={unread.length === 1 ? '1 note for you' : `${unread.length} notes for you`}
    >
      <div className="flex flex-col gap-4" data-testid="hand-over-dialog">
        <Situation
          onAlarms={() => {
            setState('over');
            zones.openAlarms();
          }}
        />
        <Notes notes={unread} />
      </div>
    </Dialog>
  );
}

/** The state of the watch, the form of a note for the next shift, and the latest notes. */
export function HandOverPage() {
  const { zones } = useLookout();
  const { data, error } = useQuery(handOverQuery());
  const mayWrite = useMay('watch');
  return (
    <div className="flex flex-col gap-4 px-4 py-3" data-testid="hand-over">
      <Situation onAlarms={() => zones.showPage('alarms')} />
      {mayWrite && <NoteForm />}
      {error && (
        <p role="alert" className="text-bad">
          {data ? 'These notes may be out of date. ' : 'The notes could not be read. '}
          {failureMessage(error)}
        </p>
      )}
      {data && (data.notes.length === 0 ? <p className="text-dim">No notes yet.</p> : <Notes notes={data.notes} />)}
    </div>
  );
}

/** Open alarms, and zones that are not watched. */
function Situation({ onAlarms }: { readonly onAlarms: () => void }) {
  const { alarms, next, failure } = useAlarms();
  const { data, error } = useQuery(zonesQuery());
  const now = useNow();
  const [{ zone: clock }] = usePreferences();
  const open = [
    ...alarms.filter((alarm) => isPending(alarm, now)),
    ...alarms.filter((alarm) => !isPending(alarm, now) && alarm.state !== 'ended' && stageOf(alarm, now) !== 'closed'),
  ];
  const unwatched = (data?.zones ?? []).flatMap(({ zone, watched }) => {
    const { text, tone } = watchedText(zone, watched, clock);
    return tone === 'good' ? [] : [{ zone, text, tone }];
  });
  if (data?.zones.length === 0 && open.length === 0)
    return (
      <>
        <OpenIncidents />
        <p>{noZonesText(data.unshared)}</p>
      </>
    );
  return (
    <div className="flex flex-col gap-3">
      {(failure ?? error) && (
        <p role="alert" className="text-bad">
          Alarms and zones could not be read just now. They may be out of date.
        </p>
      )}
      <section aria-label="Open alarms" className="flex flex-col items-start gap-1">
        <h3 className="font-semibold">{next === undefined ? 'Reading the alarms…' : openText(open.length)}</h3>
        {open.length > 0 && (
          <>
            <ul className="flex w-full flex-col gap-1">
              {open.slice(0, NAMED_MAX).map((alarm) => (
                <OpenAlarm key={alarm.id} alarm={alarm} />
              ))}
            </ul>
            <Button onClick={onAlarms}>{open.length > NAMED_MAX ? `Show all ${open.length}` : 'Show alarms'}</Button>
          </>
        )}
      </section>
      <OpenIncidents />
      <section aria-label="Zones that are not watched">
        <h3 className="font-semibold">
          {data ? watchingText(unwatched.length, data.zones.length) : 'Reading the zones…'}
        </h3>
        <ul>
          {unwatched.slice(0, NAMED_MAX).map(({ zone, text, tone }) => (
            <li key={zone.id} className="flex items-baseline gap-1.5">
              <ToneMark tone={tone} />
              <span className="min-w-0 break-words">
                <span className="font-medium">{zone.name}</span> · {text}
              </span>
            </li>
          ))}
          {unwatched.length > NAMED_MAX && <li className="text-dim">and {unwatched.length - NAMED_MAX} more</li>}
        </ul>
      </section>
    </div>
  );
}

function OpenIncidents() {
  const open = useOpenIncidents();
  const now = useNow();
  const [{ zone: clock }] = usePreferences();
  if (open.length === 0) return null;
  return (
    <section aria-label="Open incidents">
      <h3 className="font-semibold">{open.length === 1 ? '1 open incident' : `${open.length} open incidents`}</h3>
      <ul className="flex flex-col gap-1">
        {open.map(({ id, number, title, from, opened, notes }) => (
          <li key={id} className="border-edge border-l-3 pl-2">
            <a href={`/incidents/${id}`} className="break-words font-medium underline decoration-edge phone:min-h-11">
              {number} · {title}
            </a>
            <span className="block text-caption text-dim">
              {[
                `since ${recentTimeText(instantOf(from), now, clock)}`,
                opened.by === '' ? '' : `opened by ${opened.by}`,
                notes === 1 ? '1 note' : `${notes} notes`,
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function OpenAlarm({ alarm }: { readonly alarm: Alarm }) {
  const now = useNow();
  const [{ zone: clock }] = usePreferences();
  const stage = stageOf(alarm, now);
  return (
    <li className={classNames('border-l-3 pl-2', isPending(alarm, now) ? 'border-bad' : 'border-edge')}>
      <span className="font-medium">{alarmHeadline(alarm)}</span>
      <span className="block text-caption text-dim">
        {[stageText(alarm, stage), openedText(alarm, now, clock), ...alarmTags(alarm, now, clock)].join(' · ')}
      </span>
    </li>
  );
}

function openText(count: number): string {
  return count === 1 ? '1 open alarm' : `${count === 0 ? 'No' : count} open alarms`;
}

function watchingText(unwatched: number, zones: number): string {
  const all = zones === 1 ? '1 zone' : `${zones} zones`;
  if (unwatched > 0) return `${unwatched === zones ? '' : `${unwatched} of `}${all} not watched`;
  return zones === 1 ? 'The zone is watched' : `All ${all} are watched`;
}

function NoteForm() {
  const lookout = useLookout();
  const queries = useQueryClient();
  const id = useId();
  const text = useValue(lookout.zones.handOverText);
  const {
    mutate,
    isPending: isSending,
    isSuccess,
    error,
    reset,
  } = useMutation<void, Error>({
    mutationFn: () => writeNote(lookout, queries, text.trim()),
    onSuccess: () => lookout.zones.handOverText.set(''),
    networkMode: 'always',
  });
  return (
    <form
      className="flex flex-col items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <label htmlFor={id} className="font-semibold">
        Note for the next shift
      </label>
      <textarea
        id={id}
        rows={4}
        maxLength={HAND_OVER_NOTE_MAX_LENGTH}
        value={text}
        placeholder="What happened, what is expected, what is broken"
        onChange={({ target }) => {
          if (isSuccess || error) reset();
          lookout.zones.handOverText.set(target.value);
        }}
        className={classNames(FIELD, 'py-1')}
      />
      <Button type="submit" look="primary" disabled={text.trim() === '' || isSending}>
        Leave note
      </Button>
      <p role="status" className="text-caption text-dim empty:hidden">
        {isSuccess ? 'Kept for the next shift.' : ''}
      </p>
      {error && (
        <p role="alert" className="text-bad">
          {failureMessage(error)}
        </p>
      )}
    </form>
  );
}

function Notes({ notes }: { readonly notes: readonly HandOverNote[] }) {
  const lookout = useLookout();
  const queries = useQueryClient();
  const [{ handOverRead }] = usePreferences();
  const unread = unreadNotes(notes, handOverRead);
  const {
    mutate,
    isPending: isSending,
    error,
  } = useMutation<void, Error, readonly string[]>({
    mutationFn: (ids) => markNotesRead(lookout, queries, ids),
    networkMode: 'always',
  });
  return (
    <section aria-label="Notes" className="flex flex-col gap-2">
      <ul className="flex flex-col gap-3">
        {notes.map((note) => (
          <Note key={note.id} note={note} isUnread={unread.includes(note)} />
        ))}
      </ul>
      {unread.length > 0 && (
        <Button
          look="primary"
          className="self-start"
          disabled={isSending}
          onClick={() => mutate(unread.map(({ id }) => id))}
        >
          <Check aria-hidden size={14} />
          {unread.length === 1 ? 'Mark as read' : 'Mark all as read'}
        </Button>
      )}
      {error && (
        <p role="alert" className="text-bad">
          {failureMessage(error)}
        </p>
      )}
    </section>
  );
}

function Note({
  note: { note, by, at, readers },
  isUnread,
}: {
  readonly note: HandOverNote;
  readonly isUnread: boolean;
}) {
  const now = useNow();
  const [{ zone: clock }] = usePreferences();
  const timeOf = (text: string) => {
    const instant = parseInstant(text);
    return instant === undefined ? text : recentTimeText(instant, now, clock);
  };
  return (
    <li
      data-testid="hand-over-note"
      data-unread={isUnread}
      className={classNames('border-l-3 pl-2', isUnread ? 'border-focus' : 'border-line')}
    >
      <p className="text-caption text-dim">
        {by === '' ? '' : `${by}, `}
        {timeOf(at)}
        {isUnread && <span className="ml-1.5 font-semibold text-text">Unread</span>}
      </p>
      <p className="whitespace-pre-wrap break-words">{note}</p>
      {readers.length > 0 && (
        <p className="text-caption text-dim">
          Read by {readers.map((reader) => `${reader.by} ${timeOf(reader.at)}`).join(', ')}
        </p>
      )}
    </li>
  );
}
