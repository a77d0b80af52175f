'use client';

import type { Role } from '#lib/api/people/permission.ts';
import { AccountFrame } from './account-frame.tsx';
import { ClosedCard } from './closed-card.tsx';

interface ClosedPageProps {
  readonly operator: string;
  readonly role: Role;
  readonly title: string;
}

/** In place of a page for admins, for somebody who is none. */
export function ClosedPage({ operator, role, title }: ClosedPageProps) {
  return (
    <AccountFrame operator={operator} title={title} links={<a href="/">Back to the map</a>}>
      {() => (
        <ClosedCard>{`You are ${operator}, role ${role}: this page takes the role admin. An admin can change that.`}</ClosedCard>
      )}
    </AccountFrame>
  );
}
