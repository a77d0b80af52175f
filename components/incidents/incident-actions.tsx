'use client';

import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useState } from 'react';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { type Incident, KEPT_MAX } from '#lib/api/watching/incidents.ts';
import {
  addIncidentSighting,
  changeIncident,
  closeIncident,
  incidentsChanged,
  removeIncident,
  sealIncident,
} from '#lib/client/incidents/incidents-query.ts';
import { useDesk } from '#lib/client/page/desk.tsx';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { historyCostQuery, replayPriceOf, replayPriceText, requestsText } from '#lib/client/replay/replay-price.ts';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { type ClockZone, timeFieldText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { epochMs } from '#lib/time/instant.ts';
import { ChangeForm, ChangeNotes, useChange } from '../account/change.tsx';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Field, refused, textOf, timeOf, zoneNote } from './incident-fields.tsx';
import { costQueryOf, mayWrite } from './incident-text.ts';
import { readSighting, SightingFields } from './sighting.tsx';

interface FormCardProps extends Pick<ButtonProps, 'look' | 'disabled'> {
  readonly title: string;
  readonly text?: ReactNode;
  readonly button: string;
  /** Shown while it is sent, with the time that it takes. */
  readonly busy?: string;
  readonly run: (fields: FormData) => Promise<unknown>;
  readonly onDone?: () => void;
  readonly children?: ReactNode;
}

/** A form that changes an incident, with what became of it. */
export function FormCard({
  title,
  text,
  button,
  look = 'primary',
  disabled = false,
  busy,
  run,
  onDone,
  children,
}: FormCardProps) {
  const change = useChange(incidentsChanged);
  return (
    <Card title={title}>
      {text}
      <ChangeForm
        change={change}
        onSubmit={async (fields) => {
          await run(fields);
          onDone?.();
          return 'Done.';
        }}
      >
        {children}
        <Button type="submit" look={look} disabled={disabled || change.isSending}>
          {button}
        </Button>
      </ChangeForm>
      {change.isSending && busy !== undefined && <Busy text={busy} />}
      <ChangeNotes change={change} />
    </Card>
  );
}

function Busy({ text }: { readonly text: string }) {
  const now = useNow();
  const [since] = useState(now);
  const tookMs = now === undefined || since === undefined ? 0 : epochMs(now) - epochMs(since);
  return (
    <p role="status">
      {text}… {tookMs > 0 && durationText(tookMs)}
    </p>
  );
}

export type IncidentAction = 'sighting' | 'change' | 'close' | 'seal' | 'delete';

interface PartProps {
  readonly incident: Incident;
  readonly zone: ClockZone;
  readonly onDone: () => void;
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

/** What people do with an incident besides notes, each open to some roles in some states. */
export const ACTIONS: readonly ActionRow[] = [
  { name: 'sighting', text: 'Add sighting', Part: SightingPart, isOpen: beforeSeal },
  { name: 'change', text: 'Change', Part: ChangePart, isOpen: beforeSeal },
  { name: 'close', text: 'Close', look: 'primary', Part: ClosePart, isOpen: whileIt('open') },
  { name: 'seal', text: 'Seal', look: 'primary', Part: SealPart, isOpen: whileIt('closed') },
  { name: 'delete', text: 'Delete', Part: DeletePart, isOpen: (_, { isAdmin }) => isAdmin },
];

function SightingPart({ incident, zone, onDone }: PartProps) {
  const { presumedNow } = useDesk();
  const [nowMs] = useState(() => epochMs(presumedNow()));
  return (
    <FormCard
      title="Add sighting"
      button="Add and check"
      busy="Checking against what was received"
      run={(fields) => addIncidentSighting(incident.id, readSighting(fields, zone))}
      onDone={onDone}
    >
      <SightingFields zone={zone} nowMs={nowMs} />
    </FormCard>
  );
}

function ChangePart({ incident, zone, onDone }: PartProps) {
  // As it was read at first: a colleague's change must not be overwritten unseen.
  const [{ id, revision, title, state, from, to }] = useState(incident);
  const shown = (text: string | null) => (text === null ? '' : timeFieldText(Date.parse(text), zone, true));
  const save = async (fields: FormData) => {
    const isOther = (name: string, text: string | null) => state === 'open' && textOf(fields, name) !== shown(text);
    const [start, end] = [timeOf(fields, 'from', zone), timeOf(fields, 'to', zone)];
    try {
      await changeIncident(id, {
        revision,
        title: textOf(fields, 'title'),
        ...(isOther('from', from) && start !== undefined && { from: start }),
        ...(isOther('to', to) && { to: end ?? null }),
      });
    } catch (error) {
      if (error instanceof LookoutRequestError && error.code === 'revision_conflict')
        throw refused('Not saved: a colleague changed it first. See how it stands now, and open “Change” again.');
      throw error;
    }
  };
  return (
    <FormCard title="Change" button="Save" run={save} onDone={onDone}>
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
    </FormCard>
  );
}

/** Where nothing limits requests, so many are never reached. */
const REQUESTS_MAX = 12_000;

function ClosePart({ incident, onDone }: PartProps) {
  const { id, revision, number, to } = incident;
  const now = useNow();
  const { presumedNow } = useDesk();
  const [mayLack, setMayLack] = useState(false);
  const { data: cost, error } = useQuery(historyCostQuery(costQueryOf(incident, epochMs(now ?? presumedNow()))));
  const close = async (fields: FormData) => {
    const max_requests = cost?.has_allowance ? Math.min(REQUESTS_MAX, cost.middle.max_requests) : REQUESTS_MAX;
    try {
      await closeIncident(id, { revision, max_requests, incomplete: fields.get('incomplete') !== null });
    } catch (failure) {
      if (failure instanceof LookoutRequestError && failure.code === 'past_incomplete') setMayLack(true);
      throw failure;
    }
  };
  return (
    <FormCard
      title="Close"
      text={
        <p>
          Closing keeps what was received in the area and time, with 2 km and 3 min around: at most {KEPT_MAX.hours} h,{' '}
          {groupedNumber(KEPT_MAX.positions)} positions and {KEPT_MAX.bytes / 1e6} MB. Area and times then change no
          more.
          {to === null && ' It ends now.'}
        </p>
      }
      button={`Close ${number}`}
      busy="Reading and keeping the past; leave this page open"
      disabled={!cost}
      run={close}
      onDone={onDone}
    >
      {cost?.has_allowance && (
        <p data-testid="price">
          To read: {replayPriceText(replayPriceOf(cost.middle))}
          {cost.left !== null && `. You have ${requestsText(cost.left)} left today`}.
        </p>
      )}
      {error && (
        <p role="alert" className="text-bad">
          The price is not known. {failureMessage(error)}
        </p>
      )}
      {mayLack && (
        <label data-whole-row className="flex items-center gap-2">
          <input type="checkbox" name="incomplete" className="size-4" />
          Close although incomplete: what is missing stays not known
        </label>
      )}
    </FormCard>
  );
}

function SealPart({ incident: { id, revision, number }, onDone }: PartProps) {
  return (
    <FormCard
      title="Seal"
      text={<p>Makes the signed file to hand over. After it, nothing of the incident changes: no note, no title.</p>}
      button={`Seal ${number}`}
      busy="Making the file"
      run={() => sealIncident(id, revision)}
      onDone={onDone}
    />
  );
}

function DeletePart({ incident: { id, number, sealed } }: PartProps) {
  return (
    <FormCard
      title="Delete"
      text={<p>Deletes its notes, all that it keeps{sealed && ', and its sealed file'}. The audit keeps the reason.</p>}
      button={`Delete ${number}`}
      look="danger"
      run={(fields) => removeIncident(id, textOf(fields, 'reason'))}
    >
      <Field label="Reason" name="reason" maxLength={500} />
    </FormCard>
  );
}
