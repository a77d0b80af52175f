'use client';

import { useEffect, useRef } from 'react';
import type { Destination } from '#lib/api/outputs/destinations.ts';
import { removeDestination } from '#lib/client/outputs/destinations-query.ts';
import { ChangeButton } from '../account/change-button.tsx';
import type { Change } from '../account/use-change.ts';
import { Button } from '../ui/button.tsx';

interface RemovalQuestionProps {
  readonly destination: Destination;
  readonly naming: readonly string[] | undefined;
  readonly change: Change;
  readonly onKeep: () => void;
  readonly onRemoved: () => void;
}

export function RemovalQuestion({ destination, naming, change, onKeep, onRemoved }: RemovalQuestionProps) {
  const { id, name } = destination;
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  return (
    <div role="alertdialog" aria-label={`Remove ${name}?`} className="flex flex-col gap-2 border-line border-t pt-3">
      <p>
        Remove “{name}”?{' '}
        {naming === undefined
          ? 'It is not known yet which rules name it.'
          : naming.length === 0
            ? 'No rule names it.'
            : 'These rules send nothing to it any more:'}
      </p>
      {naming && naming.length > 0 && (
        <ul className="list-inside list-disc">
          {naming.map((text, index) => (
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
