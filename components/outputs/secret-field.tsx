'use client';

import type { DestinationKind } from '#lib/api/outputs/destinations.ts';
import { Button } from '../ui/button.tsx';
import { TextRow } from './fields.tsx';

const LABEL: Readonly<Partial<Record<DestinationKind, string>>> = {
  ntfy: 'Access token',
  mail: 'Password',
  mqtt: 'Password',
  cot: 'Key of the client certificate',
};

interface SecretFieldProps {
  readonly kind: DestinationKind;
  readonly isStored: boolean;
  /** '': unchanged; null: removed. */
  readonly secret: string | null;
  readonly problem: string | undefined;
  readonly onChange: (secret: string | null) => void;
}

/** Of a webhook, Lookout makes the secret. */
export function SecretField({ kind, isStored, secret, problem, onChange }: SecretFieldProps) {
  const label = LABEL[kind];
  if (label === undefined) return null;
  const isKept = isStored && secret !== null;
  const note = isKept ? 'Kept, and never shown. Empty: unchanged.' : 'Removed when you save.';
  const what = label.toLowerCase();
  return (
    <>
      <TextRow
        label={label}
        type="password"
        isLong={kind === 'cot'}
        placeholder={isKept ? 'unchanged' : 'none'}
        note={isStored ? note : undefined}
        value={secret ?? ''}
        problem={problem}
        onChange={onChange}
      />
      {isStored && kind !== 'cot' && (
        <Button className="self-start" onClick={() => onChange(isKept ? null : '')}>
          {isKept ? `Remove the ${what}` : `Keep the ${what}`}
        </Button>
      )}
    </>
  );
}
