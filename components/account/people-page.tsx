'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type InitialPassword, initialPasswordSchema } from '#lib/api/people/account.ts';
import type { Role } from '#lib/api/people/permission.ts';
import { NAME_MAX_LENGTH } from '#lib/api/people/session-messages.ts';
import { peopleQuery } from '#lib/client/account/account-requests.ts';
import { requestJson } from '#lib/client/request/request-json.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { TextField } from '../ui/text-field.tsx';
import { AccountLayout, Card } from './account-layout.tsx';
import { momentText } from './account-text.ts';
import { ChangeForm } from './change-form.tsx';
import { ChangeNotes } from './change-notes.tsx';
import { ClosedCard } from './closed-card.tsx';
import { PersonCard, ROLE_CHOICES } from './person-card.tsx';
import { ReadFailure, staysShown } from './read-failure.tsx';
import { useChange } from './use-change.ts';

interface NewPassword extends InitialPassword {
  readonly name: string;
}

interface PeoplePageProps {
  readonly operator: string;
  readonly hasReceivers: boolean;
}

export function PeoplePage({ operator, hasReceivers }: PeoplePageProps) {
  /** Lowering it closes this page to the admin. */
  const [ownRole, setOwnRole] = useState<Role>('admin');
  return (
    <AccountLayout
      operator={operator}
      title="People"
      path="/admin"
      isAdmin={ownRole === 'admin'}
      hasReceivers={hasReceivers}
    >
      {(zone) =>
        ownRole === 'admin' ? (
          <People zone={zone} onOwnRole={setOwnRole} />
        ) : (
          <ClosedCard>{`You made yourself ${ownRole}, so this page is closed to you now. Another admin can undo it.`}</ClosedCard>
        )
      }
    </AccountLayout>
  );
}

function People({ zone, onOwnRole }: { readonly zone: ClockZone; readonly onOwnRole: (role: Role) => void }) {
  const { data, error } = useQuery(peopleQuery());
  const [shown, setShown] = useState<NewPassword>();
  if (!staysShown(error)) return error && <ReadFailure error={error} />;
  const requiresPasskeys = data?.passkeys_required ?? false;
  return (
    <>
      {error && <ReadFailure error={error} />}
      {!data && !error && <p className="text-dim">Reading who is there…</p>}
      {shown && (
        <InitialPasswordCard
          shown={shown}
          zone={zone}
          requiresPasskeys={requiresPasskeys}
          onSeen={() => setShown(undefined)}
        />
      )}
      <AddCard onPassword={setShown} />
      {data && (
        <p className="text-caption text-dim">
          Requests since midnight UTC, each counted for the operator who alone caused it. Live refreshes that viewers
          share are not counted here.
        </p>
      )}
      {data?.people.map((person) => (
        <PersonCard
          key={person.id}
          person={person}
          requiresPasskeys={requiresPasskeys}
          zone={zone}
          onPassword={(made) => setShown({ name: person.name, ...made })}
          onOwnRole={onOwnRole}
        />
      ))}
    </>
  );
}

interface InitialPasswordCardProps {
  readonly shown: NewPassword;
  readonly zone: ClockZone;
  readonly requiresPasskeys: boolean;
  readonly onSeen: () => void;
}

function InitialPasswordCard({ shown, zone, requiresPasskeys, onSeen }: InitialPasswordCardProps) {
  return (
    <section role="status" className="flex flex-col gap-2 rounded-card border border-warning bg-surface p-4">
      <p>
        Initial password of <span className="font-semibold">{shown.name}</span>, shown this once:
      </p>
      <code data-testid="initial-password" className="select-all break-all font-mono text-name">
        {shown.password}
      </code>
      <p className="text-caption text-dim">
        It opens their account page, where they choose one of their own{requiresPasskeys && ' and add a passkey'}, until{' '}
        {momentText(shown.until, zone)}.
      </p>
      <div className="flex gap-2">
        <CopyButton text={shown.password} label="Copy the password" />
        <Button onClick={onSeen}>Hide it</Button>
      </div>
    </section>
  );
}

function AddCard({ onPassword }: { readonly onPassword: (made: NewPassword) => void }) {
  const change = useChange();
  const [role, setRole] = useState<Role>('operator');
  return (
    <Card title="Add somebody">
      <ChangeForm
        change={change}
        onSubmit={async (fields) => {
          const name = String(fields.get('name'));
          const made = await requestJson('POST', '/api/admin/people', initialPasswordSchema, { body: { name, role } });
          onPassword({ name, ...made });
          return `${name} was added as ${role}.`;
        }}
      >
        <TextField label="Name" name="name" type="text" autoComplete="off" maxLength={NAME_MAX_LENGTH} />
        <ChoiceRow label="Role" value={role} choices={ROLE_CHOICES} onChange={setRole} />
        <p className="text-caption text-dim">
          A viewer spends nothing on the past; an operator loads it; an admin also changes people.
        </p>
        <ChangeNotes change={change} />
        <Button type="submit" look="primary" className="self-start" disabled={change.isSending}>
          Add
        </Button>
      </ChangeForm>
    </Card>
  );
}
