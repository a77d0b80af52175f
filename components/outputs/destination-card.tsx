'use client';

import { useRef, useState } from 'react';
import { kindRow } from '#lib/api/outputs/destination-kinds.ts';
import type { ChangedDestination, Destination } from '#lib/api/outputs/destinations.ts';
import type { DeliveryTimes } from '#lib/client/outputs/delivery-text.ts';
import { sendTrial, switchDestination } from '#lib/client/outputs/destinations-query.ts';
import { Card } from '../account/account-layout.tsx';
import { ChangeButton } from '../account/change-button.tsx';
import { ChangeNotes } from '../account/change-notes.tsx';
import { useChange } from '../account/use-change.ts';
import { Button } from '../ui/button.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';
import { ToneMark } from '../ui/tone-mark.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { DestinationForm } from './destination-form.tsx';
import { arrivalFacts, arrivalText, switchText } from './destination-text.ts';
import { RemovalQuestion } from './removal-question.tsx';
import { SecretsPart } from './secrets-part.tsx';
import { DestinationTrialResult } from './trial-result.tsx';

export interface DestinationCardProps {
  readonly destination: Destination;
  /** Rules that name it; `undefined` until the zones are read. */
  readonly naming: readonly string[] | undefined;
  readonly times: DeliveryTimes;
  readonly onSecret: (changed: ChangedDestination) => void;
  readonly onRemoved: (name: string) => void;
}

export function DestinationCard({ destination, naming, times, onSecret, onRemoved }: DestinationCardProps) {
  const { id, name, config, is_on, secrets } = destination;
  const change = useChange();
  const [open, setOpen] = useState<'deliveries' | 'change' | 'secrets' | 'removal'>();
  const [trial, setTrial] = useState<string>();
  const opener = useRef<HTMLButtonElement>(null);
  const toggle = (part: typeof open) => setOpen(open === part ? undefined : part);
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
    onClick: () => toggle(part),
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
      <SwitchRow
        label="Send to it"
        note={naming && kind.takesNotices && switchText(naming, is_on ? destination.waiting : 0)}
        checked={is_on}
        onChange={(isOn) =>
          change.make(async () => {
            await switchDestination(destination, isOn);
            return `${name} is ${isOn ? 'on' : 'off'}.`;
          })
        }
      />
      <ChangeNotes change={change} />
      {trial !== undefined && <DestinationTrialResult id={id} trial={trial} times={times} />}
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
        <RemovalQuestion
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
