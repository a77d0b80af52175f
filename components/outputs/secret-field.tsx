'use client';

import { type DestinationConfig, kindRow, movesSecret, secretPlaceOf } from '#lib/api/outputs/destination-kinds.ts';
import { Button } from '../ui/button.tsx';
import { TextRow } from './fields.tsx';

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
  const { secret: words } = kindRow(config);
  const isStored = stored !== undefined;
  const isMoved = isStored && movesSecret(stored, config);
  if (!words || (words.isMade && !isMoved)) return null;
  const { label, isRequired, isMade = false, isLong = false } = words;
  const isKept = isStored && secret !== null;
  const orNew = isMade ? ' Empty: Lookout makes a new one.' : '';
  const again = `Stored for ${isMoved ? secretPlaceOf(stored).text : ''}. Type it again for another server or encryption.${orNew}`;
  const note = !isKept ? 'Removed when you save.' : isMoved ? again : 'Kept, and never shown. Empty: unchanged.';
  const what = label.toLowerCase();
  return (
    <>
      <TextRow
        label={label}
        type="password"
        isLong={isLong}
        placeholder={isKept && !isMoved ? 'unchanged' : 'none'}
        note={isStored ? note : undefined}
        value={secret ?? ''}
        problem={problem}
        onChange={onChange}
      />
      {isStored && !isRequired && (
        <Button className="self-start" onClick={() => onChange(isKept ? null : '')}>
          {isKept ? `Remove the ${what}` : `Keep the ${what}`}
        </Button>
      )}
    </>
  );
}
