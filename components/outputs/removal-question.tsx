'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Destination } from '#lib/api/outputs/destinations.ts';
import { removeDestination } from '#lib/client/outputs/destinations-query.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { ChangeButton } from '../account/change-button.tsx';
import type { Change } from '../account/use-change.ts';
import { Button } from '../ui/button.tsx';
import { namingRules, unseenText } from './naming-rules.ts';

interface RemovalQuestionProps {
  readonly destination: Destination;
  readonly change: Change;
  readonly onKeep: () => void;
  readonly onRemoved: () => void;
}

export function RemovalQuestion({ destination, change, onKeep, onRemoved }: RemovalQuestionProps) {
  const { id, name, rules } = destination;
  const { data } = useQuery({ ...zonesQuery(), enabled: rules > 0 });
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  const naming = namingRules(id, data?.zones ?? []);
  const unseen = data && unseenText(rules - naming.length);
  return (
    <div role="alertdialog" aria-label={`Remove ${name}?`} className="flex flex-col gap-2 border-line border-t pt-3">
      <p>
        Remove “{name}”? {rules === 0 ? 'No rule names it.' : 'These rules send nothing to it any more:'}
      </p>
      {rules > 0 && (
        <ul className="list-inside list-disc">
          {naming.map((text, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two rules of a zone may have the same text.
            <li key={index}>{text}</li>
          ))}
          {unseen !== undefined && <li>{unseen}</li>}
          {!data && <li>{rules === 1 ? '1 rule' : `${rules} rules`}</li>}
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
