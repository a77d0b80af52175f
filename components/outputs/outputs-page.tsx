'use client';

import { AccountLayout } from '../account/account-layout.tsx';
import { DestinationsPart } from './destinations-part.tsx';
import { ReadTokensCard } from './read-tokens-card.tsx';

interface OutputsPageProps {
  readonly operator: string | undefined;
  readonly hasReceivers: boolean;
}

export function OutputsPage({ operator, hasReceivers }: OutputsPageProps) {
  return (
    <AccountLayout operator={operator} title="Outputs" path="/admin/outputs" isAdmin hasReceivers={hasReceivers}>
      {(zone) => (
        <>
          <DestinationsPart zone={zone} />
          <ReadTokensCard zone={zone} />
        </>
      )}
    </AccountLayout>
  );
}
