'use client';

import { AccountLayout } from '../account/account-layout.tsx';
import { DestinationsPart } from './destinations-part.tsx';
import { ReadTokensCard } from './read-tokens-card.tsx';

interface OutputsPageProps {
  readonly operator: string | undefined;
  readonly hasReceivers: boolean;
  /** The origin in `PUBLIC_URL`. */
  readonly publicOrigin: string | undefined;
}

/** The outputs of Lookout, for admins: alarms to destinations, and positions to programs with a token. */
export function OutputsPage({ operator, hasReceivers, publicOrigin }: OutputsPageProps) {
  return (
    <AccountLayout operator={operator} title="Outputs" path="/admin/outputs" isAdmin hasReceivers={hasReceivers}>
      {(zone) => (
        <>
          <DestinationsPart zone={zone} />
          <ReadTokensCard zone={zone} publicOrigin={publicOrigin} />
        </>
      )}
    </AccountLayout>
  );
}
