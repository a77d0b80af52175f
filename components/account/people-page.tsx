'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { endedSchema, type InitialPassword, initialPasswordSchema, type Person } from '#lib/api/people/account.ts';
import { ROLES, type Role, roleSchema } from '#lib/api/people/permission.ts';
import { NAME_MAX_LENGTH } from '#lib/api/people/session.ts';
import { askLookout, peopleQuery } from '#lib/client/account/account-requests.ts';
import { sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { TextField } from '../ui/text-field.tsx';
import { AccountFrame, Card } from './account-frame.tsx';
import { momentText, refusalText, spentText, waysInText } from './account-text.ts';
import { ChangeNotes } from './change-notes.tsx';
import { SessionList } from './session-list.tsx';
import { useChange } from './use-change.ts';

const ROLE_CHOICES = ROLES.map((role) => ({ value: role, label: role }));

interface Told extends InitialPassword {
  readonly name: string;
}

/** Everybody who may sign in, with their sessions; for admins. */
export function PeoplePage({ operator }: { readonly operator: string }) {
  return (
    <AccountFrame
      operator={operator}
      title="People"
      links={
        <>
          <a href="/account">Your account</a>
          <a href="/">Back to the map</a>
        </>
      }
    >
      {(zone) => <People zone={zone} />}
    </AccountFrame>
  );
}

function People({ zone }: { readonly zone: ClockZone }) {
  const { data, error } = useQuery(peopleQuery());
  const [told, setTold] = useState<Told>();
  return (
    <>
      {error && (
        <p role="alert" className="text-bad">
          {refusalText(error)}
        </p>
      )}
      {!data && !error && <p className="text-dim">Reading who is there…</p>}
      {told && <ToldPassword told={told} zone={zone} onSeen={() => setTold(undefined)} />}
      <AddCard onTold={setTold} />
      {data && (
        <p className="text-caption text-dim">
          Requests count for whoever alone caused them, since midnight UTC or the start of Lookout at{' '}
          {momentText(data.started_at, zone)}. Live refreshes that viewers share are nobody’s.
        </p>
      )}
      {data?.people.map((person) => (
        <PersonCard key={person.id} person={person} zone={zone} onTold={setTold} />
      ))}
    </>
  );
}

function ToldPassword({
  told,
  zone,
  onSeen,
}: {
  readonly told: Told;
  readonly zone: ClockZone;
  readonly onSeen: () => void;
}) {
  return (
    <section role="status" className="flex flex-col gap-2 rounded-card border border-warning bg-surface p-4">
      <p>
        Initial password of <span className="font-semibold">{told.name}</span>, shown this once:
      </p>
      <code data-testid="initial-password" className="select-all break-all font-mono text-name">
        {told.password}
      </code>
      <p className="text-caption text-dim">
        It opens their account page, where they choose one of their own, until {momentText(told.until, zone)}.
      </p>
      <Button className="self-start" onClick={onSeen}>
        Hide it
      </Button>
    </section>
  );
}

function AddCard({ onTold }: { readonly onTold: (told: Told) => void }) {
  const change = useChange();
  const [role, setRole] = useState<Role>('operator');
  return (
    <Card title="Add somebody">
      <form
        method="post"
        className="flex max-w-96 flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const name = String(new FormData(form).get('name'));
          change.make(async () => {
            const made = await askLookout('POST', '/api/admin/people', initialPasswordSchema, { body: { name, role } });
            form.reset();
            onTold({ name, ...made });
            return `${name} was added as ${role}.`;
          });
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
      </form>
    </Card>
  );
}

interface PersonCardProps {
  readonly person: Person;
  readonly zone: ClockZone;
  readonly onTold: (told: Told) => void;
}

function PersonCard({ person, zone, onTold }: PersonCardProps) {
  const change = useChange();
  const [removing, setRemoving] = useState(false);
  const { name, role, in_file, sessions } = person;
  const path = `/api/admin/people/${encodeURIComponent(person.id)}`;
  const setRole = (text: string) =>
    change.make(async () => {
      await sendToLookout('PATCH', path, { role: roleSchema.parse(text) });
      return `${name} is ${text} now.`;
    });
  return (
    <Card title={name}>
      <p className="text-dim">
        {role}, {waysInText(person)}, {sessions.length === 0 ? 'not signed in' : `sessions: ${sessions.length}`};{' '}
        {spentText(person)}
      </p>
      {in_file && <ChoiceRow label="Role" value={role} choices={ROLE_CHOICES} onChange={setRole} />}
      {sessions.length > 0 && (
        <SessionList
          sessions={sessions}
          zone={zone}
          isSending={change.isSending}
          onEnd={({ id, browser }) =>
            change.make(async () => {
              await sendToLookout('DELETE', `/api/admin/sessions/${id}`);
              return `The session of ${browser} was ended.`;
            })
          }
        />
      )}
      <ChangeNotes change={change} />
      <div className="flex flex-wrap gap-2">
        {sessions.some(({ current }) => !current) && !sessions.some(({ current }) => current) && (
          <Button
            disabled={change.isSending}
            onClick={() =>
              change.make(
                async () => `Sessions ended: ${(await askLookout('DELETE', `${path}/sessions`, endedSchema)).ended}.`,
              )
            }
          >
            End all sessions
          </Button>
        )}
        {in_file && !sessions.some(({ current }) => current) && (
          <>
            <Button
              disabled={change.isSending}
              onClick={() =>
                change.make(async () => {
                  onTold({ name, ...(await askLookout('POST', `${path}/password`, initialPasswordSchema)) });
                  return `${name} has a new initial password, and was signed out.`;
                })
              }
            >
              Make a new password
            </Button>
            {person.passkeys > 0 && (
              <Button
                disabled={change.isSending}
                onClick={() =>
                  change.make(async () => {
                    await askLookout('DELETE', `${path}/passkeys`, endedSchema);
                    return `The passkeys of ${name} were removed, and ${name} was signed out.`;
                  })
                }
              >
                Remove passkeys
              </Button>
            )}
            {removing ? (
              <>
                <Button
                  className="text-bad"
                  disabled={change.isSending}
                  onClick={() =>
                    change.make(async () => {
                      await sendToLookout('DELETE', path);
                      return `${name} was removed.`;
                    })
                  }
                >
                  Remove {name}
                </Button>
                <Button look="quiet" onClick={() => setRemoving(false)}>
                  Keep
                </Button>
              </>
            ) : (
              <Button onClick={() => setRemoving(true)}>Remove…</Button>
            )}
          </>
        )}
      </div>
    </Card>
  );
}
