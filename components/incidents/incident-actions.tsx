'use client';

import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { type ComponentType, useState } from 'react';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { type Incident, KEPT_MAX } from '#lib/api/watching/incidents.ts';
import {
  addIncidentSighting,
  changeIncident,
  closeIncident,
  incidentKeyQuery,
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
import { momentText } from '../account/account-text.ts';
import { ChangeButton, ChangeForm, ChangeNotes, useChange } from '../account/change.tsx';
import { Button, type ButtonProps, LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Field, refused, textOf, timeOf, zoneNote } from './incident-fields.tsx';
import { costQueryOf, mayWrite, personText } from './incident-text.ts';
import { readSighting, SightingFields } from './sighting.tsx';

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
  readonly isOpen: (incident: Incident, viewer: PageViewer) => boolean;
}

/** What people do with an incident besides notes, each open to some roles in some states. */
export const ACTIONS: readonly ActionRow[] = [
  {
    name: 'sighting',
    text: 'Add sighting',
    Part: SightingPart,
    isOpen: ({ state }, viewer) => state !== 'sealed' && mayWrite(viewer),
  },
  {
    name: 'change',
    text: 'Change',
    Part: ChangePart,
    isOpen: ({ state }, viewer) => state !== 'sealed' && mayWrite(viewer),
  },
  {
    name: 'close',
    text: 'Close',
    look: 'primary',
    Part: ClosePart,
    isOpen: ({ state }, viewer) => state === 'open' && mayWrite(viewer),
  },
  {
    name: 'seal',
    text: 'Seal',
    look: 'primary',
    Part: SealPart,
    isOpen: ({ state }, viewer) => state === 'closed' && mayWrite(viewer),
  },
  { name: 'delete', text: 'Delete', Part: DeletePart, isOpen: (_, viewer) => viewer.isAdmin },
];

function SightingPart({ incident, zone, onDone }: PartProps) {
  const { presumedNow } = useDesk();
  const [nowMs] = useState(() => epochMs(presumedNow()));
  const change = useChange();
  const add = async (fields: FormData) => {
    await addIncidentSighting(incident.id, readSighting(fields, zone));
    onDone();
    return 'Added.';
  };
  return (
    <Card title="Add sighting">
      <ChangeForm change={change} onSubmit={add}>
        <SightingFields zone={zone} nowMs={nowMs} />
        <Button type="submit" look="primary" disabled={change.isSending}>
          Add and check
        </Button>
      </ChangeForm>
      {change.isSending && <p role="status">Checking against what was received…</p>}
      <ChangeNotes change={change} />
    </Card>
  );
}

function ChangePart({ incident, zone, onDone }: PartProps) {
  const change = useChange();
  // What was read at first: a colleague's change must not be overwritten unseen.
  const [read, setRead] = useState(incident);
  const isOver = incident.state !== 'open';
  const [from, to] = [incident.from, incident.to].map((text) =>
    text === null ? '' : timeFieldText(Date.parse(text), zone, true),
  );
  const save = async (fields: FormData) => {
    const [newFrom, newTo] = [timeOf(fields, 'from', zone), timeOf(fields, 'to', zone)];
    try {
      await changeIncident(incident.id, {
        revision: read.revision,
        title: textOf(fields, 'title'),
        ...(!isOver && textOf(fields, 'from') !== from && newFrom !== undefined && { from: newFrom }),
        ...(!isOver && textOf(fields, 'to') !== to && { to: newTo ?? null }),
      });
    } catch (error) {
      if (error instanceof LookoutRequestError && error.code === 'revision_conflict')
        throw refused('Not saved: a colleague changed it first. Look at how it stands above, then take it as read.');
      throw error;
    }
    onDone();
    return 'Saved.';
  };
  return (
    <Card title="Change">
      <ChangeForm change={change} onSubmit={save}>
        <Field label="Title" name="title" maxLength={120} value={incident.title} />
        <span />
        {!isOver && (
          <>
            <Field label={`From, ${zoneNote(zone)}`} name="from" kind="time" value={from ?? ''} />
            <Field
              label={`To, ${zoneNote(zone)}`}
              name="to"
              kind="time"
              optional
              value={to ?? ''}
              note="Empty: it runs"
            />
          </>
        )}
        <div data-whole-row className="flex gap-2">
          <Button type="submit" look="primary" disabled={change.isSending || read.revision !== incident.revision}>
            Save
          </Button>
          {read.revision !== incident.revision && (
            <Button onClick={() => setRead(incident)}>Read: it is now “{incident.title}”</Button>
          )}
        </div>
      </ChangeForm>
      <ChangeNotes change={change} />
    </Card>
  );
}

/** Where nothing limits requests, so many are never reached. */
const REQUESTS_MAX = 12_000;

function ClosePart({ incident, onDone }: PartProps) {
  const now = useNow();
  const { presumedNow } = useDesk();
  const change = useChange();
  const [asked, setAsked] = useState<{ readonly sinceMs: number }>();
  const [isIncomplete, setIncomplete] = useState(false);
  const { data: cost, error } = useQuery(historyCostQuery(costQueryOf(incident, epochMs(now ?? presumedNow()))));
  const max_requests = cost?.has_allowance ? Math.min(REQUESTS_MAX, cost.middle.max_requests) : REQUESTS_MAX;
  const close = (incomplete: boolean) => async () => {
    setAsked({ sinceMs: epochMs(presumedNow()) });
    try {
      await closeIncident(incident.id, { revision: incident.revision, max_requests, incomplete });
    } catch (failure) {
      if (failure instanceof LookoutRequestError && failure.code === 'past_incomplete') setIncomplete(true);
      throw failure;
    } finally {
      setAsked(undefined);
    }
    onDone();
    return 'Closed.';
  };
  return (
    <Card title="Close">
      <p>
        Closing keeps what was received in the area and time, with 2 km and 3 min around: at most {KEPT_MAX.hours} h,{' '}
        {groupedNumber(KEPT_MAX.positions)} positions and {KEPT_MAX.bytes / 1e6} MB. Area and times then change no more.
        {incident.to === null && ' It ends now.'}
      </p>
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
      <div className="flex flex-wrap gap-2">
        <ChangeButton change={{ ...change, isSending: change.isSending || !cost }} run={close(false)} look="primary">
          Close {incident.number}
        </ChangeButton>
        {isIncomplete && (
          <ChangeButton change={change} run={close(true)}>
            Close although incomplete
          </ChangeButton>
        )}
      </div>
      {asked && (
        <p role="status">
          Reading and keeping the past
          {now !== undefined && epochMs(now) > asked.sinceMs && `, ${durationText(epochMs(now) - asked.sinceMs)}`}…
          Leave this page open.
        </p>
      )}
      <ChangeNotes change={change} />
    </Card>
  );
}

function SealPart({ incident, onDone }: PartProps) {
  const change = useChange();
  const seal = async () => {
    await sealIncident(incident.id, incident.revision);
    onDone();
    return 'Sealed.';
  };
  return (
    <Card title="Seal">
      <p>
        Sealing makes the file to hand over, and signs it. After it, nothing of the incident changes: no note, no title.
      </p>
      <ChangeButton change={change} run={seal} look="primary" className="self-start">
        Seal {incident.number}
      </ChangeButton>
      {change.isSending && <p role="status">Making the file…</p>}
      <ChangeNotes change={change} />
    </Card>
  );
}

function DeletePart({ incident }: PartProps) {
  const change = useChange();
  const remove = async (fields: FormData) => {
    await removeIncident(incident.id, textOf(fields, 'reason'));
    return 'Deleted.';
  };
  return (
    <Card title="Delete">
      <p>
        Deletes {incident.number} with its notes and all that it keeps
        {incident.sealed ? ', and its sealed file' : ''}. The audit keeps the reason.
      </p>
      <ChangeForm change={change} onSubmit={remove}>
        <Field label="Reason" name="reason" maxLength={500} />
        <span />
        <Button type="submit" look="danger" disabled={change.isSending}>
          Delete {incident.number}
        </Button>
      </ChangeForm>
      <ChangeNotes change={change} />
    </Card>
  );
}

/** The sealed file, and how it is compared. */
export function SealedCard({ incident: { id, number, sealed }, zone }: Pick<PartProps, 'incident' | 'zone'>) {
  const { data, error } = useQuery(incidentKeyQuery());
  if (!sealed) return null;
  const { by, at, sha256, bytes } = sealed;
  return (
    <Card title="Sealed file">
      <p>
        Sealed by {personText(by)}, {momentText(at, zone)}. {sizeText(bytes)}
      </p>
      <div>
        <p className="text-dim">SHA-256 of SHA256SUMS in the file</p>
        <code className="break-all font-mono" data-testid="sha256">
          {sha256}
        </code>
      </div>
      <div className="flex flex-wrap gap-2">
        <LinkButton look="primary" href={`/api/incidents/${id}/file`} download>
          <Download aria-hidden size={14} />
          incident-{number}.zip
        </LinkButton>
        <CopyButton text={sha256} label="Copy the hash" />
      </div>
      <details>
        <summary className="w-fit cursor-pointer font-medium text-focus phone:min-h-11 phone:py-3">Public key</summary>
        <p>Compare it with public.pem in the file.</p>
        {error && (
          <p role="alert" className="text-bad">
            The key could not be read. {failureMessage(error)}
          </p>
        )}
        {data && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it.
          <pre tabIndex={0} className="overflow-x-auto font-mono text-caption" data-testid="public-key">
            {data.public_key}
          </pre>
        )}
      </details>
    </Card>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
