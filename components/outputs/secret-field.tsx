'use client';

import {
  type DestinationConfig,
  type DestinationKind,
  movesSecret,
  secretPlaceOf,
} from '#lib/api/outputs/destinations.ts';
import { Button } from '../ui/button.tsx';
import { TextRow } from './fields.tsx';

const LABEL: Readonly<Partial<Record<DestinationKind, string>>> = {
  ntfy: 'Access token',
  mail: 'Password',
  mqtt: 'Password',
  cot: 'Key of the client certificate',
};

interface SecretFieldProps {
  readonly config: DestinationConfig;
  /** Of the destination with a stored secret. */
  readonly stored: DestinationConfig | undefined;
  /** '': unchanged; null: removed. */
  readonly secret: string | null;
  readonly problem: string | undefined;
  readonly onChange: (secret: string | null) => void;
}

/** Lookout makes the secret of a webhook: the form shows the field only where the address moves. */
export function SecretField({ config, stored, secret, problem, onChange }: SecretFieldProps) {
  const { kind } = config;
  const isStored = stored !== undefined;
  const isMoved = isStored && movesSecret(stored, config);
  const label = LABEL[kind] ?? (kind === 'webhook' && isMoved ? 'Secret that signs' : undefined);
  if (label === undefined) return null;
  const isKept = isStored && secret !== null;
  const orNew = kind === 'webhook' ? ' Empty: Lookout makes a new one.' : '';
  const again = `Stored for ${isMoved ? secretPlaceOf(stored).text : ''}. Type it again for another server or encryption.${orNew}`;
  const note = !isKept ? 'Removed when you save.' : isMoved ? again : 'Kept, and never shown. Empty: unchanged.';
  const what = label.toLowerCase();
  return (
    <>
      <TextRow
        label={label}
        type="password"
        isLong={kind === 'cot'}
        placeholder={isKept && !isMoved ? 'unchanged' : 'none'}
        note={isStored ? note : undefined}
        value={secret ?? ''}
        problem={problem}
        onChange={onChange}
      />
      {isStored && kind !== 'cot' && kind !== 'webhook' && (
        <Button className="self-start" onClick={() => onChange(isKept ? null : '')}>
          {isKept ? `Remove the ${what}` : `Keep the ${what}`}
        </Button>
      )}
    </>
  );
}
