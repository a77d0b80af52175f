'use client';

import type { ChangedDestination, Destination } from '#lib/api/outputs/destinations.ts';
import { addSecret, dropOldSecrets } from '#lib/client/outputs/destinations-query.ts';
import { ChangeButton } from '../account/change-button.tsx';
import type { Change } from '../account/use-change.ts';

interface SecretsPartProps {
  readonly destination: Destination;
  readonly change: Change;
  readonly onSecret: (changed: ChangedDestination) => void;
}

export function SecretsPart({ destination: { id, secrets }, change, onSecret }: SecretsPartProps) {
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
