'use client';

import type { Role } from '#lib/api/people/permission.ts';
import { AccountLayout } from './account-layout.tsx';
import { ClosedCard } from './closed-card.tsx';

interface ClosedPageProps {
  readonly operator: string;
  readonly name: string;
  readonly role: Role;
  readonly title: string;
}

export function ClosedPage({ operator, name, role, title }: ClosedPageProps) {
  return (
    <AccountLayout operator={operator} title={title} path={undefined} isAdmin={false} hasReceivers={false}>
      {() => (
        <ClosedCard>{`You are signed in as ${name}, role ${role}. This page is for admins; one of them can change your role.`}</ClosedCard>
      )}
    </AccountLayout>
  );
}
