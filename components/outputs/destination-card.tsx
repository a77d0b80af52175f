'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { kindRow } from '#lib/api/outputs/destination-kinds.ts';
import type { ChangedDestination, Destination, NoticeDelivery } from '#lib/api/outputs/destinations.ts';
import {
  type DeliveryTimes,
  deliveryStateText,
  deliveryTimeText,
  deliveryUntilText,
  noticeTypeText,
} from '#lib/client/outputs/delivery-text.ts';
import {
  addSecret,
  destinationDeliveriesQuery,
  dropOldSecrets,
  removeDestination,
  sendTrial,
  switchDestination,
} from '#lib/client/outputs/destinations-query.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { msBetween, parseInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { agoText } from '../account/account-text.ts';
import { type Change, ChangeButton, ChangeNotes, useChange } from '../account/change.tsx';
import { ReadFailure } from '../account/page-parts.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { classNames } from '../ui/class-names.ts';
import { FORM_GRID } from '../ui/form-fields.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { type MarkedTone, ToneMark } from '../ui/tone-mark.tsx';
import { DestinationForm } from './destination-form.tsx';

/** A rule that names the destination. */
export interface NamingRule {
  /** The id of its zone. */
  readonly zone: string;
  /** Such as `Runway 14/32: Entered`. */
  readonly text: string;
}

interface DestinationCardProps {
  readonly destination: Destination;
  /** `undefined` until the zones are read. */
  readonly naming: readonly NamingRule[] | undefined;
  readonly times: DeliveryTimes;
  readonly onSecret: (changed: ChangedDestination) => void;
  readonly onRemoved: (name: string) => void;
}

/**
 * One destination: whether its alarms arrive, and how an admin switches it, tries it, changes it, rotates its secrets and
 * removes it. At most one of its parts is open.
 */
export function DestinationCard({ destination, naming, times, onSecret, onRemoved }: DestinationCardProps) {
  const { id, name, config, is_on, secrets } = destination;
  const change = useChange();
  const [open, setOpen] = useState<'deliveries' | 'change' | 'secrets' | 'removal'>();
  const [trial, setTrial] = useState<string>();
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(undefined);
    opener.current?.focus();
  };
  const kind = kindRow(config);
  const secretsText = secrets === 1 ? 'Secret' : `${secrets} secrets`;
  const arrival = arrivalText(destination, times);
  const facts = arrivalFacts(destination, times);
  const opens = (part: NonNullable<typeof open>) => ({
    'aria-expanded': open === part,
    ...(open === part && { ref: opener }),
    onClick: () => setOpen(open === part ? undefined : part),
  });
  return (
    <Card title={name}>
      <p className="min-w-0 break-all text-dim">
        {kind.text} · <span className="font-mono text-caption">{kind.whereText(config)}</span>
      </p>
      <div>
        <p className="flex items-baseline gap-2">
          <ToneMark tone={arrival.tone} />
          <span className="min-w-0 break-words">{arrival.text}</span>
        </p>
        {facts.length > 0 && <p className="pl-[18px] text-dim">{facts.join(' · ')}</p>}
      </div>
      <div className={FORM_GRID}>
        <SwitchRow
          label="On"
          note={kind.takesNotices && switchText(destination, naming)}
          checked={is_on}
          onChange={(isOn) =>
            change.make(async () => {
              await switchDestination(destination, isOn);
              return `${name} is ${isOn ? 'on' : 'off'}.`;
            })
          }
        />
      </div>
      <ChangeNotes change={change} />
      {trial !== undefined && <TrialResult id={id} trial={trial} times={times} />}
      <div className="flex flex-wrap gap-2">
        {kind.takesNotices && (
          <ChangeButton
            change={change}
            aria-label={`Send a trial to ${name}`}
            run={async () => {
              setTrial(await sendTrial(id));
              return '';
            }}
          >
            Send a trial
          </ChangeButton>
        )}
        <Button aria-label={`Latest deliveries of ${name}`} {...opens('deliveries')}>
          Latest deliveries
        </Button>
        <Button aria-label={`Change ${name}`} {...opens('change')}>
          Change
        </Button>
        {kind.secret?.isMade && (
          <Button aria-label={`${secretsText} of ${name}`} {...opens('secrets')}>
            {secretsText}
          </Button>
        )}
        <Button aria-label={`Remove ${name}…`} {...opens('removal')}>
          Remove…
        </Button>
      </div>
      {open === 'deliveries' && <DeliveryList id={id} times={times} />}
      {open === 'change' && (
        <DestinationForm
          of={destination}
          onSaved={(changed) => {
            if (changed.secret !== null) onSecret(changed);
            close();
          }}
          onCancel={close}
        />
      )}
      {open === 'secrets' && <SecretsPart destination={destination} change={change} onSecret={onSecret} />}
      {open === 'removal' && (
        <DestinationRemoval
          destination={destination}
          naming={naming}
          change={change}
          onKeep={close}
          onRemoved={() => onRemoved(name)}
        />
      )}
    </Card>
  );
}

/** A card warns of a delivery that waits longer. */
const LATE_MS = MINUTE_MS;

/** A time in the past, such as `12:04:31Z, 3 min ago`. */
function pastText(text: string, times: DeliveryTimes): string {
  const ago = agoText(text, times.now);
  return `${deliveryTimeText(text, times)}${ago === undefined ? '' : `, ${ago}`}`;
}

function arrivalText(
  destination: Destination,
  times: DeliveryTimes,
): { readonly tone: MarkedTone; readonly text: string } {
  const { is_on, switched_off, problem, last_arrived_at, config } = destination;
  if (switched_off)
    return { tone: 'bad', text: `Switched off by Lookout ${pastText(switched_off.at, times)}: ${switched_off.reason}` };
  if (!is_on) return { tone: 'neutral', text: 'Off: nothing is sent' };
  if (problem) return { tone: 'bad', text: `Failing since ${pastText(problem.since, times)}: ${problem.text}` };
  if (last_arrived_at === null) {
    const next = kindRow(config).takesNotices ? ' Send a trial to see whether it arrives.' : '';
    return { tone: 'neutral', text: `Nothing sent yet.${next}` };
  }
  return {
    tone: waitsMs(destination, times) > LATE_MS ? 'warning' : 'good',
    text: `Working, last sent ${pastText(last_arrived_at, times)}`,
  };
}

/** How long the first delivery waits. It is below 0 before it is due. */
function waitsMs({ waiting_since }: Destination, { now }: DeliveryTimes): number {
  const since = waiting_since === null ? undefined : parseInstant(waiting_since);
  return since === undefined || now === undefined ? 0 : msBetween(since, now);
}

/** Counts and times that the state does not say. */
function arrivalFacts(destination: Destination, times: DeliveryTimes): readonly string[] {
  const { is_on, switched_off, problem, last_arrived_at, next_try_at, waiting, given_up } = destination;
  const isGood = is_on && !switched_off && !problem;
  const waitedMs = waitsMs(destination, times);
  const late = waitedMs > LATE_MS ? `, the first for ${durationText(waitedMs)}` : '';
  return [
    !isGood && last_arrived_at !== null ? `last sent ${pastText(last_arrived_at, times)}` : [],
    waiting > 0 ? `${groupedNumber(waiting)} waiting${late}` : [],
    next_try_at !== null ? `next try ${deliveryUntilText(next_try_at, times)}` : [],
    given_up > 0 ? `${groupedNumber(given_up)} given up` : [],
  ].flat();
}

/** @param naming `undefined` until the zones are read */
function switchText(
  { is_on, all_alarms, waiting }: Destination,
  naming: readonly NamingRule[] | undefined,
): string | undefined {
  const off = is_on && waiting > 0 ? ' Off gives up those that wait.' : '';
  if (all_alarms) return `All alarms of this Lookout.${off}`;
  if (!naming) return undefined;
  const zones = new Set(naming.map(({ zone }) => zone)).size;
  return `Used by ${zones === 0 ? 'no zone' : zones === 1 ? '1 zone' : `${zones} zones`}.${off}`;
}

const SHOWN_FIRST = 10;

const STATE_CLASS: Readonly<Record<NoticeDelivery['state'], string>> = {
  arrived: 'text-good',
  waiting: 'text-warning',
  grouped: 'text-dim',
  given_up: 'text-bad',
};

function DeliveryList({ id, times }: { readonly id: string; readonly times: DeliveryTimes }) {
  const { data, error } = useQuery(destinationDeliveriesQuery(id));
  const [showsAll, setShowsAll] = useState(false);
  const deliveries = data?.deliveries ?? [];
  const shown = showsAll ? deliveries : deliveries.slice(0, SHOWN_FIRST);
  return (
    <>
      {error && <ReadFailure error={error} />}
      {!data && !error && <p className="text-dim">Reading the deliveries…</p>}
      {data?.deliveries.length === 0 && <p className="text-dim">No delivery is kept.</p>}
      <ul
        aria-label="Latest deliveries"
        className="divide-y divide-line rounded-control border border-line empty:hidden"
      >
        {shown.map((delivery) => (
          <li key={delivery.id} className="flex flex-wrap gap-x-3 px-3 py-1.5">
            <span className="font-mono text-caption leading-5">{deliveryTimeText(delivery.created_at, times)}</span>
            <span className="font-medium">{noticeTypeText(delivery)}</span>
            <span
              className={classNames(
                'min-w-0 break-words',
                delivery.state === 'arrived' ? 'text-dim' : STATE_CLASS[delivery.state],
              )}
            >
              {deliveryStateText(delivery, times)}
            </span>
          </li>
        ))}
      </ul>
      {shown.length < deliveries.length && (
        <Button className="self-start" onClick={() => setShowsAll(true)}>
          Show the latest {deliveries.length}
        </Button>
      )}
    </>
  );
}

/** A trial is read again this often while it waits. */
const TRIAL_REFRESH_MS = 1000;

interface TrialResultProps {
  readonly id: string;
  /** The id of the trial’s delivery. */
  readonly trial: string;
  readonly times: DeliveryTimes;
}

/** The result has no countdown, which a screen reader would read out each second. */
function TrialResult({ id, trial, times }: TrialResultProps) {
  const trialIn = (deliveries: readonly NoticeDelivery[] = []) => deliveries.find((each) => each.id === trial);
  const { data } = useQuery({
    ...destinationDeliveriesQuery(id),
    refetchInterval: ({ state: { data: read } }) =>
      (trialIn(read?.deliveries)?.state ?? 'waiting') === 'waiting' && TRIAL_REFRESH_MS,
  });
  const delivery = trialIn(data?.deliveries);
  return (
    <p role="status" className={STATE_CLASS[delivery?.state ?? 'waiting']} data-testid="trial-result">
      Trial: {delivery ? deliveryStateText({ ...delivery, next_try_at: null }, times) : 'waiting to be sent'}
    </p>
  );
}

interface SecretsPartProps {
  readonly destination: Destination;
  readonly change: Change;
  readonly onSecret: (changed: ChangedDestination) => void;
}

function SecretsPart({ destination: { id, secrets }, change, onSecret }: SecretsPartProps) {
  return (
    <>
      <p className="text-dim">
        {secrets > 1
          ? `${secrets} secrets sign each notice. Drop the old ones when the receiver has the new one.`
          : 'To change the secret, add a new one: both sign until you drop the old one.'}
      </p>
      <div className="flex flex-wrap gap-2">
        <ChangeButton
          change={change}
          run={async () => {
            onSecret(await addSecret(id));
            return 'A secret was added. It is shown above, this once.';
          }}
        >
          Add a secret
        </ChangeButton>
        {secrets > 1 && (
          <ChangeButton
            change={change}
            look="danger"
            run={async () => {
              await dropOldSecrets(id);
              return 'The newest secret alone signs now.';
            }}
          >
            Drop the old {secrets === 2 ? 'one' : 'ones'}
          </ChangeButton>
        )}
      </div>
    </>
  );
}

interface DestinationRemovalProps {
  readonly destination: Destination;
  readonly naming: readonly NamingRule[] | undefined;
  readonly change: Change;
  readonly onKeep: () => void;
  readonly onRemoved: () => void;
}

function DestinationRemoval({ destination, naming, change, onKeep, onRemoved }: DestinationRemovalProps) {
  const { id, name, all_alarms } = destination;
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  return (
    <div role="alertdialog" aria-label={`Remove ${name}?`} className="flex flex-col gap-2 border-line border-t pt-3">
      <p>
        Remove “{name}”? {all_alarms && 'It receives all alarms of this Lookout. '}
        {naming === undefined
          ? 'It is not known yet which rules name it.'
          : naming.length === 0
            ? 'No zone uses it.'
            : 'These rules send nothing to it any more:'}
      </p>
      {naming && naming.length > 0 && (
        <ul className="list-inside list-disc">
          {naming.map(({ text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two rules of a zone may have the same text.
            <li key={index}>{text}</li>
          ))}
        </ul>
      )}
      <div className="flex gap-2">
        <Button ref={keep} onClick={onKeep}>
          Keep
        </Button>
        <ChangeButton
          change={change}
          look="danger"
          run={async () => {
            await removeDestination(id);
            onRemoved();
            return '';
          }}
        >
          Remove {name}
        </ChangeButton>
      </div>
    </div>
  );
}
