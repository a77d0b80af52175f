'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { endedSchema, type InitialPassword, initialPasswordSchema, type Person } from '#lib/api/people/account.ts';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { ROLES, type Role } from '#lib/api/people/permission.ts';
import { NAME_MAX_LENGTH } from '#lib/api/people/session-messages.ts';
import { peopleQuery } from '#lib/client/account/account-requests.ts';
import { sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import { requestJson } from '#lib/client/request/request-json.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { ClosedCard, PageFrame } from '../frame/page-frame.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { ShownOnce } from '../ui/copy-button.tsx';
import { FORM_GRID, TextField } from '../ui/form-fields.tsx';
import { momentText, spentText, waysInText } from './account-text.ts';
import { type Change, ChangeButton, ChangeForm, ChangeNotes, useChange } from './change.tsx';
import { ReadFailure, staysShown } from './page-parts.tsx';
import { SessionList } from './session-list.tsx';

interface NewPassword extends InitialPassword {
  readonly name: string;
}

interface PeoplePageProps {
  readonly viewer: PageViewer;
}

/**
 * The operators, for admins: who they are, how they sign in, and what they spend. An initial password is shown once. Admins
 * who lower their own role close this page to themselves.
 */
export function PeoplePage({ viewer }: PeoplePageProps) {
  /** The admin's own role: lowering it closes this page to the admin. */
  const [ownRole, setOwnRole] = useState<Role>('admin');
  return (
    <PageFrame viewer={{ ...viewer, isAdmin: ownRole === 'admin' }} title="People" path="/admin">
      {(zone) =>
        ownRole === 'admin' ? (
          <People zone={zone} onOwnRole={setOwnRole} />
        ) : (
          <ClosedCard>{`You made yourself ${ownRole}, so this page is closed to you now. Another admin can undo it.`}</ClosedCard>
        )
      }
    </PageFrame>
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
      {!data && !error && <p className="text-dim">Reading the people…</p>}
      {shown && (
        <ShownOnce
          title="Initial password"
          what="password"
          name={shown.name}
          text={shown.password}
          onHide={() => setShown(undefined)}
        >
          <p className="text-caption text-dim">
            It opens their account page, where they choose one of their own{requiresPasskeys && ' and add a passkey'},
            until {momentText(shown.until, zone)}.
          </p>
        </ShownOnce>
      )}
      <AddCard onPassword={setShown} />
      {data?.has_allowance && (
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
          hasAllowance={data.has_allowance}
          zone={zone}
          onPassword={(made) => setShown({ name: person.name, ...made })}
          onOwnRole={onOwnRole}
        />
      ))}
    </>
  );
}

function AddCard({ onPassword }: { readonly onPassword: (made: NewPassword) => void }) {
  const change = useChange();
  const [role, setRole] = useState<Role>('operator');
  return (
    <Card title="New person">
      <ChangeForm
        change={change}
        onSubmit={async (fields) => {
          const name = String(fields.get('name'));
          const made = await requestJson('POST', '/api/admin/people', initialPasswordSchema, { body: { name, role } });
          onPassword({ name, ...made });
          return `${name} was added as ${role}.`;
        }}
      >
        <TextField label="Name" name="name" maxLength={NAME_MAX_LENGTH} />
        <ChoiceRow label="Role" value={role} choices={ROLE_CHOICES} onChange={setRole} />
        <p className="text-caption text-dim">
          Viewer: watch. Operator: zones, alarms, replay. Admin: also people and outputs.
        </p>
        <ChangeNotes change={change} />
        <Button type="submit" look="primary" className="self-start" disabled={change.isSending}>
          Add person
        </Button>
      </ChangeForm>
    </Card>
  );
}

const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: role }));

interface PersonCardProps {
  readonly person: Person;
  readonly requiresPasskeys: boolean;
  readonly hasAllowance: boolean;
  readonly zone: ClockZone;
  readonly onPassword: (made: InitialPassword) => void;
  /** Called when admins have changed their own role. */
  readonly onOwnRole: (role: Role) => void;
}

function PersonCard(props: PersonCardProps) {
  const { person, requiresPasskeys, hasAllowance, zone } = props;
  const { name, role, in_file, sessions, push } = person;
  const change = useChange();
  const isOwn = sessions.some(({ current }) => current);
  return (
    <Card title={name}>
      <p className="text-dim">
        {role}, {waysInText(person, requiresPasskeys)},{' '}
        {sessions.length === 0 ? 'not signed in' : `sessions: ${sessions.length}`}
        {hasAllowance && `; ${spentText(person)}`}
      </p>
      {in_file && <RoleChoice {...props} isOwn={isOwn} change={change} />}
      {sessions.length > 0 && (
        <SessionList sessions={sessions} address="/api/admin/sessions" zone={zone} change={change} />
      )}
      {push.length > 0 && <p className="text-dim">Push notifications: {push.join(', ')}</p>}
      <ChangeNotes change={change} />
      <div className="flex flex-wrap items-center gap-2">
        <LinkButton href={`/admin/audit?${new URLSearchParams({ operator: person.id })}`}>What {name} did</LinkButton>
        {!isOwn && sessions.length + push.length > 0 && (
          <ChangeButton
            change={change}
            run={async () =>
              `Sessions ended: ${(await requestJson('DELETE', `${pathOf(person)}/sessions`, endedSchema)).ended}.`
            }
          >
            {push.length > 0 ? 'End all sessions and push' : 'End all sessions'}
          </ChangeButton>
        )}
        {!isOwn && in_file && (
          <>
            <WaysInChanges {...props} change={change} />
            <Removal person={person} change={change} />
          </>
        )}
      </div>
    </Card>
  );
}

const pathOf = ({ id }: Person) => `/api/admin/people/${encodeURIComponent(id)}`;

interface ChangeProps extends PersonCardProps {
  readonly change: Change;
}

function RoleChoice({ person, isOwn, change, onOwnRole }: ChangeProps & { readonly isOwn: boolean }) {
  /** Admins cannot undo a role that closes this page to them. */
  const [asked, setAsked] = useState<Role>();
  const set = (role: Role) =>
    change.make(async () => {
      await sendToLookout('PATCH', pathOf(person), { role });
      if (isOwn && role !== 'admin') onOwnRole(role);
      return `${person.name} is ${role} now.`;
    });
  return (
    <>
      <div className={FORM_GRID}>
        <ChoiceRow
          label="Role"
          value={asked ?? person.role}
          choices={ROLE_CHOICES}
          onChange={(role) => {
            if (!isOwn) set(role);
            else setAsked(role === person.role ? undefined : role);
          }}
        />
      </div>
      {asked && (
        <div className="flex flex-wrap items-center gap-2">
          <p className="w-full text-warning">
            This is you: as {asked} you could not open this page any more, and only another admin could undo it.
          </p>
          <Button
            look="danger"
            disabled={change.isSending}
            onClick={() => {
              setAsked(undefined);
              set(asked);
            }}
          >
            Make me {asked}
          </Button>
          <Button look="quiet" onClick={() => setAsked(undefined)}>
            Stay {person.role}
          </Button>
        </div>
      )}
    </>
  );
}

/** A new password is useless to an operator who has a required passkey. */
function WaysInChanges({ person, requiresPasskeys, change, onPassword }: ChangeProps) {
  const { name, passkeys } = person;
  const isUseless = requiresPasskeys && passkeys > 0;
  return (
    <>
      {passkeys > 0 && (
        <ChangeButton
          change={change}
          run={async () => {
            await requestJson('DELETE', `${pathOf(person)}/passkeys`, endedSchema);
            return `The passkeys of ${name} were removed, and ${name} was signed out.`;
          }}
        >
          Remove passkeys
        </ChangeButton>
      )}
      <ChangeButton
        change={change}
        run={async () => {
          const body = { remove_passkeys: isUseless };
          onPassword(await requestJson('POST', `${pathOf(person)}/password`, initialPasswordSchema, { body }));
          return `${name} has a new initial password${isUseless ? ' and no passkeys' : ''}, and was signed out.`;
        }}
      >
        {isUseless ? 'Remove passkeys and make a new password' : 'Make a new password'}
      </ChangeButton>
      {isUseless && (
        <p className="order-last w-full text-caption text-dim">
          Passkeys are required here. While {name} has one, a password is no way in; without one, it only leads to
          adding one.
        </p>
      )}
    </>
  );
}

function Removal({ person, change }: { readonly person: Person; readonly change: Change }) {
  const [removing, setRemoving] = useState(false);
  const { name } = person;
  if (!removing) return <Button onClick={() => setRemoving(true)}>Remove…</Button>;
  return (
    <>
      <p className="w-full text-caption text-dim">
        Zones of {name} stay watched. You hand them over in the list of zones.
      </p>
      <ChangeButton
        change={change}
        look="danger"
        run={async () => {
          await sendToLookout('DELETE', pathOf(person));
          return `${name} was removed.`;
        }}
      >
        Remove {name}
      </ChangeButton>
      <Button look="quiet" onClick={() => setRemoving(false)}>
        Keep
      </Button>
    </>
  );
}
