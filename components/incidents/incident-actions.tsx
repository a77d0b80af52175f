'use client';

import { useQuery } from '@tanstack/react-query';
import { type ComponentType, useState } from 'react';
import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { type Incident, type IncidentAnswer, KEPT_MAX } from '#lib/api/watching/incidents.ts';
import {
  addIncidentSighting,
  changeIncident,
  readIncidentAnswer,
  removeIncident,
  requestClosing,
  requestSeal,
} from '#lib/client/incidents/incidents-query.ts';
import { useDesk } from '#lib/client/page/desk.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import {
  historyCostQuery,
  isOnlyLoaded,
  replayPriceOf,
  replayPriceText,
  requestsText,
} from '#lib/client/replay/replay-price.ts';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { type ClockZone, timeFieldText } from '#lib/model/clock-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { ButtonProps } from '../ui/button.tsx';
import { Failed, Field, fieldText, fieldTime, IncidentForm, zoneNote } from './incident-fields.tsx';
import { costQueryOf, KEPT_AROUND_MS, mayWrite } from './incident-text.ts';
import { NoteForm } from './note-fields.tsx';
import { readSighting, SightingFields } from './sighting.tsx';

export type IncidentAction = 'note' | 'sighting' | 'change' | 'close' | 'seal' | 'delete';

interface PartProps {
  readonly incident: Incident;
  readonly zone: ClockZone;
  /** A colleague's change, after which it can no longer be sent. */
  readonly shut: string | undefined;
  /** @param note the id of a new note */
  readonly onDone: (done: string, note?: string) => void;
}

interface ActionRow {
  readonly name: IncidentAction;
  readonly text: string;
  readonly look?: ButtonProps['look'];
  readonly Part: ComponentType<PartProps>;
  readonly isOpen: (incident: Pick<Incident, 'state'>, viewer: PageViewer) => boolean;
}

const beforeSeal: ActionRow['isOpen'] = ({ state }, viewer) => state !== 'sealed' && mayWrite(viewer);
const whileIt =
  (is: Incident['state']): ActionRow['isOpen'] =>
  ({ state }, viewer) =>
    state === is && mayWrite(viewer);

/** The actions on an incident, each open to some roles in some states. */
export const ACTIONS: readonly ActionRow[] = [
  { name: 'note', text: 'Write a note', look: 'primary', Part: NotePart, isOpen: beforeSeal },
  { name: 'sighting', text: 'Add sighting', Part: SightingPart, isOpen: beforeSeal },
  { name: 'change', text: 'Change', Part: ChangePart, isOpen: beforeSeal },
  { name: 'close', text: 'Close', Part: ClosePart, isOpen: whileIt('open') },
  { name: 'seal', text: 'Seal', Part: SealPart, isOpen: whileIt('closed') },
  { name: 'delete', text: 'Delete', Part: DeletePart, isOpen: (_, { isAdmin }) => isAdmin },
];

function NotePart({ incident, shut, onDone }: PartProps) {
  return <NoteForm incident={incident.id} shut={shut} onDone={(note) => onDone('Note stored.', note)} />;
}

function SightingPart({ incident, zone, shut, onDone }: PartProps) {
  const { presumedNow } = useDesk();
  const [nowMs] = useState(() => epochMs(presumedNow()));
  return (
    <IncidentForm
      button="Add and check"
      busy="Checking against what was received"
      shut={shut}
      run={(fields) => addIncidentSighting(incident.id, readSighting(fields, zone))}
      onDone={(note) => onDone('Sighting stored and checked.', note)}
    >
      <SightingFields zone={zone} nowMs={nowMs} />
    </IncidentForm>
  );
}

function ChangePart({ incident, zone, shut, onDone }: PartProps) {
  // As it was read at first: a colleague's change must not be overwritten unseen.
  const [{ id, revision, title, state, from, to }] = useState(incident);
  const shown = (text: string | null) => (text === null ? undefined : timeFieldText(Date.parse(text), zone, true));
  const save = (fields: FormData) => {
    const changed = (name: string, text: string | null) => {
      const time = fieldTime(fields, name, zone) ?? null;
      return state !== 'open' || shown(time) === shown(text) ? undefined : time;
    };
    return changeIncident(id, {
      revision,
      title: fieldText(fields, 'title'),
      from: changed('from', from) ?? undefined,
      to: changed('to', to),
    });
  };
  return (
    <IncidentForm button="Save" shut={shut} run={save} onDone={() => onDone('Saved.')}>
      <Field label="Title" name="title" maxLength={120} value={title} />
      <span />
      {state === 'open' && (
        <>
          <Field label={`From, ${zoneNote(zone)}`} name="from" kind="time" value={shown(from)} />
          <Field
            label={`To, ${zoneNote(zone)}`}
            name="to"
            kind="time"
            optional
            value={shown(to)}
            note="Empty: it runs"
          />
        </>
      )}
    </IncidentForm>
  );
}

/** The price of reading the past of an incident. @param aroundMs read before and after its window */
function usePrice(incident: Incident, aroundMs: number) {
  const now = useNow();
  const { presumedNow } = useDesk();
  return useQuery(historyCostQuery(costQueryOf(incident, epochMs(now ?? presumedNow()), aroundMs)));
}

function PriceLine({ cost }: { readonly cost: HistoryCost }) {
  return (
    <p data-testid="price">
      To read: {replayPriceText(replayPriceOf(cost.middle))}
      {cost.left !== null && `. You have ${requestsText(cost.left)} left today`}.
    </p>
  );
}

/** An answer is read with so many requests at most. */
const ANSWER_REQUESTS_MAX = 500;

/** Reads the rest of the past for the answer, where requests use up an allowance. */
export function LoadRest({
  incident,
  onRead,
}: {
  readonly incident: Incident;
  readonly onRead: (answer: IncidentAnswer) => void;
}) {
  const { data: cost } = usePrice(incident, 0);
  if (!cost?.has_allowance || cost.middle.expected === 0 || isOnlyLoaded(replayPriceOf(cost.middle))) return null;
  const most = Math.min(ANSWER_REQUESTS_MAX, cost.middle.max_requests);
  return (
    <section aria-label="Not read" className="flex flex-col gap-2">
      <PriceLine cost={cost} />
      <IncidentForm
        button="Load the rest"
        look="plain"
        busy="Reading the past"
        run={() => readIncidentAnswer(incident.id, most)}
        onDone={onRead}
      />
    </section>
  );
}

/** Where nothing limits requests, so many are never reached. */
const REQUESTS_MAX = 12_000;

function ClosePart({ incident, shut, onDone }: PartProps) {
  const { id, revision, number, to } = incident;
  const [mayLack, setMayLack] = useState(false);
  const { data: cost, error } = usePrice(incident, KEPT_AROUND_MS);
  const close = async (fields: FormData) => {
    const max_requests = cost?.has_allowance ? Math.min(REQUESTS_MAX, cost.middle.max_requests) : REQUESTS_MAX;
    try {
      await requestClosing(id, { revision, max_requests, incomplete: fields.get('incomplete') !== null });
    } catch (failure) {
      if (failure instanceof LookoutRequestError && failure.code === 'past_incomplete') setMayLack(true);
      throw failure;
    }
  };
  return (
    <>
      <p>
        Closing keeps what was received in the area and time, with 2 km and 3 min around: at most {KEPT_MAX.hours} h,{' '}
        {groupedNumber(KEPT_MAX.positions)} positions and {KEPT_MAX.bytes / 1e6} MB. Area and times then change no more.
        {to === null && ' It ends now.'}
      </p>
      <IncidentForm
        button={`Close ${number}`}
        busy="Reading and keeping the past; leave this page open"
        disabled={!cost}
        shut={shut}
        run={close}
        onDone={() => onDone(`${number} is closed.`)}
      >
        {cost?.has_allowance && <PriceLine cost={cost} />}
        {error && <Failed what="The price is not known." error={error} />}
        {mayLack && (
          <label data-whole-row className="flex items-center gap-2">
            <input type="checkbox" name="incomplete" className="size-4" />
            Close although incomplete: what is missing stays not known
          </label>
        )}
      </IncidentForm>
    </>
  );
}

function SealPart({ incident: { id, revision, number }, shut, onDone }: PartProps) {
  return (
    <>
      <p>Makes the signed file to hand over. After it, nothing of the incident changes: no note, no title.</p>
      <IncidentForm
        button={`Seal ${number}`}
        busy="Making the file"
        shut={shut}
        run={() => requestSeal(id, revision)}
        onDone={() => onDone(`${number} is sealed.`)}
      />
    </>
  );
}

function DeletePart({ incident: { id, number, sealed }, onDone }: PartProps) {
  return (
    <>
      <p>Deletes its notes, all that it keeps{sealed && ', and its sealed file'}. The audit keeps the reason.</p>
      <IncidentForm
        button={`Delete ${number}`}
        look="danger"
        run={(fields) => removeIncident(id, fieldText(fields, 'reason'))}
        onDone={() => onDone('')}
      >
        <Field label="Reason" name="reason" maxLength={500} />
      </IncidentForm>
    </>
  );
}
