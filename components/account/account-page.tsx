'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AccountAnswer, endedSchema, type PasskeyAffairs } from '#lib/api/people/account.ts';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { NAME_MAX_LENGTH, PASSWORD_MAX_LENGTH } from '#lib/api/people/session-messages.ts';
import { accountQuery } from '#lib/client/account/account-requests.ts';
import { addPasskey, confirmByPasskey } from '#lib/client/account/passkey-requests.ts';
import { signOut } from '#lib/client/account/sign-out.ts';
import { sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import { requestJson } from '#lib/client/request/request-json.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { PageFrame } from '../frame/page-frame.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { TextField } from '../ui/form-fields.tsx';
import { momentText, ROLE_TEXT } from './account-text.ts';
import { type Change, ChangeButton, ChangeForm, ChangeNotes, useChange } from './change.tsx';
import { ReadFailure, staysShown } from './page-parts.tsx';
import { PushCard } from './push-card.tsx';
import { SessionList } from './session-list.tsx';

/** The own account: push, password, passkeys and sessions. */
export function AccountPage({ viewer }: { readonly viewer: PageViewer }) {
  return (
    <PageFrame viewer={viewer} title="Your account" path="/account">
      {(zone) => <OwnAccount zone={zone} />}
    </PageFrame>
  );
}

function OwnAccount({ zone }: { readonly zone: ClockZone }) {
  const { data, error } = useQuery(accountQuery());
  const account = staysShown(error) ? data : undefined;
  return (
    <>
      {error && <ReadFailure error={error} />}
      {!account && !error && <p className="text-dim">Reading your account…</p>}
      {account && (
        <p>
          Signed in as <span className="font-semibold">{account.operator}</span>, role {account.role}:{' '}
          {ROLE_TEXT[account.role]}.
        </p>
      )}
      {account && account.needs === null && <PushCard push={account.push} zone={zone} />}
      {account && <WaysInCards account={account} zone={zone} />}
      {account && <SessionsCard account={account} zone={zone} />}
    </>
  );
}

function WaysInCards({ account, zone }: { readonly account: AccountAnswer; readonly zone: ClockZone }) {
  const [isPasskeyFirst] = useState(account.needs === 'passkey');
  const { passkeys } = account;
  const cards = [
    <PasswordCard key="password" account={account} />,
    passkeys && <PasskeysCard key="passkeys" account={account} passkeys={passkeys} zone={zone} />,
  ];
  return isPasskeyFirst ? cards.toReversed() : cards;
}

const sessionsText = (ended: number) =>
  ended === 1 ? '1 other session was ended.' : `${ended} other sessions were ended.`;

function PasswordCard({ account: { password, passkeys, needs, operator } }: { readonly account: AccountAnswer }) {
  const change = useChange();
  if (!password)
    return (
      <Card title="Password">
        <p className="text-dim">
          There is no password of yours here: you sign in {passkeys ? 'by passkey' : 'at the provider'}.
        </p>
      </Card>
    );
  return (
    <Card title="Password">
      {needs === 'new-password' && (
        <p role="alert" className="text-warning">
          Your password was made by an admin. Choose one of your own: everything else opens after that.
        </p>
      )}
      {passkeys?.required && passkeys.list.length > 0 && (
        <p className="text-dim">
          Passkeys are required here: while you have one, you cannot sign in with this password.
        </p>
      )}
      <ChangeForm
        change={change}
        onSubmit={async (fields) => {
          const body = { present: fields.get('present'), next: fields.get('next') };
          const { ended } = await requestJson('PUT', '/api/account/password', endedSchema, { body });
          return `Your password is changed. ${sessionsText(ended)}`;
        }}
      >
        {/* For password managers, which store the password under this name. */}
        <input type="text" name="name" autoComplete="username" value={operator} readOnly hidden />
        <TextField
          label="Current password"
          name="present"
          type="password"
          autoComplete="current-password"
          maxLength={PASSWORD_MAX_LENGTH}
        />
        <TextField
          label="New password"
          name="next"
          type="password"
          autoComplete="new-password"
          maxLength={PASSWORD_MAX_LENGTH}
        />
        <p className="text-caption text-dim">
          12 to {PASSWORD_MAX_LENGTH} characters, and none that is easily guessed. Your other sessions end.
        </p>
        <ChangeNotes change={change} />
        <Button type="submit" look="primary" className="self-start" disabled={change.isSending}>
          {change.isSending ? 'Changing…' : 'Change password'}
        </Button>
      </ChangeForm>
    </Card>
  );
}

function SessionsCard({ account: { sessions }, zone }: { readonly account: AccountAnswer; readonly zone: ClockZone }) {
  const change = useChange();
  return (
    <Card title="Your sessions">
      <SessionList sessions={sessions} address="/api/account/sessions" zone={zone} change={change} />
      <p className="text-caption text-dim">
        The browser’s name is its own claim. If you don’t know one of these, end it and change your password.
      </p>
      <ChangeNotes change={change} />
      {sessions.length > 1 && (
        <ChangeButton
          change={change}
          className="self-start"
          run={async () => sessionsText((await requestJson('DELETE', '/api/account/sessions', endedSchema)).ended)}
        >
          End all other sessions
        </ChangeButton>
      )}
    </Card>
  );
}

interface PasskeysCardProps {
  readonly account: AccountAnswer;
  readonly passkeys: PasskeyAffairs;
  readonly zone: ClockZone;
}

/** The passkeys of the operator. Changing them takes a confirmation, which holds for five minutes. */
function PasskeysCard({ account, passkeys, zone }: PasskeysCardProps) {
  const change = useChange();
  const { list, origin, problem, required, confirmed } = passkeys;
  const isHere = origin === window.location.origin;
  return (
    <Card title="Passkeys">
      {account.needs === 'passkey' && (
        <p role="alert" className="text-warning">
          {list.length === 0
            ? 'Passkeys are required here. Add one: everything else opens after that.'
            : 'Passkeys are required here. Sign out, and sign in with one of yours: everything else opens after that.'}
        </p>
      )}
      {account.needs === 'passkey' && list.length > 0 && (
        <ChangeButton
          change={change}
          className="self-start"
          run={async () => {
            await signOut();
            window.location.assign('/sign-in');
            return 'You are signed out.';
          }}
        >
          Sign out
        </ChangeButton>
      )}
      {list.length === 0 ? (
        <p className="text-dim">You have none. With a passkey you sign in by fingerprint, face or PIN of a device.</p>
      ) : (
        <ul className="divide-y divide-line rounded-control border border-line" aria-label="Passkeys">
          {list.map(({ id, name, added_at }) => (
            <li key={id} className="flex items-center justify-between gap-3 px-3 py-2">
              <div className="min-w-0">
                <p className="break-words font-medium">{name}</p>
                <p className="text-caption text-dim">added {momentText(added_at, zone)}</p>
              </div>
              {confirmed && (
                <Button
                  disabled={change.isSending}
                  aria-label={`Remove ${name}`}
                  onClick={() =>
                    change.make(async () => {
                      const path = `/api/account/passkeys/${encodeURIComponent(id)}`;
                      const { ended } = await requestJson('DELETE', path, endedSchema);
                      return `${name} was removed. Sessions that it had begun and that ended: ${ended}.`;
                    })
                  }
                >
                  Remove
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <ChangeNotes change={change} />
      {problem !== null && <p className="text-dim">{problem}</p>}
      {origin !== null && !isHere && (
        <p className="text-dim">
          Passkeys work at one address of Lookout:{' '}
          <a href={`${origin}/account`} className="text-focus underline">
            {origin}
          </a>
        </p>
      )}
      {confirmed
        ? isHere && <AddForm change={change} />
        : // Without passkeys there is nothing to confirm.
          (isHere || list.length > 0) && (
            <ConfirmForm
              change={change}
              hasPassword={account.password && !(required && list.length > 0)}
              hasPasskey={isHere && list.length > 0}
              operator={account.operator}
              what={list.length === 0 ? 'add a passkey' : isHere ? 'add or remove passkeys' : 'remove passkeys'}
            />
          )}
      {confirmed && account.password && list.length > 0 && (
        <div className="flex flex-col gap-2 border-line border-t pt-3">
          <p className="text-caption text-dim">
            Without a password you sign in by passkey alone. If you lose your passkeys, an admin makes a new password.
          </p>
          <ChangeButton
            change={change}
            className="self-start"
            run={async () => {
              await requestJson('DELETE', '/api/account/password', endedSchema);
              return 'Your password was removed.';
            }}
          >
            Remove my password
          </ChangeButton>
        </div>
      )}
    </Card>
  );
}

function AddForm({ change }: { readonly change: Change }) {
  return (
    <ChangeForm
      change={change}
      onSubmit={async (fields) => {
        const name = String(fields.get('passkey'));
        await addPasskey(name);
        return `${name} was added.`;
      }}
    >
      <TextField
        label="Name of the new passkey"
        name="passkey"
        type="text"
        autoComplete="off"
        maxLength={NAME_MAX_LENGTH}
      />
      <p className="text-caption text-dim">A name you will recognise, such as the device it is stored on.</p>
      <Button type="submit" look="primary" className="self-start" disabled={change.isSending}>
        Add a passkey
      </Button>
    </ChangeForm>
  );
}

const CONFIRMED = 'For five minutes you can change passkeys.';

interface ConfirmFormProps {
  readonly change: Change;
  readonly hasPassword: boolean;
  readonly hasPasskey: boolean;
  readonly operator: string;
  readonly what: string;
}

function ConfirmForm({ change, hasPassword, hasPasskey, operator, what }: ConfirmFormProps) {
  if (!hasPassword && !hasPasskey) return null;
  return (
    <ChangeForm
      change={change}
      onSubmit={async (fields) => {
        await sendToLookout('POST', '/api/account/confirmation', { password: fields.get('password') });
        return CONFIRMED;
      }}
    >
      <p className="text-caption text-dim">To {what}, show first that it is you.</p>
      {hasPassword && (
        <>
          <input type="text" name="name" autoComplete="username" value={operator} readOnly hidden />
          <TextField
            label="Your password"
            name="password"
            type="password"
            autoComplete="current-password"
            maxLength={PASSWORD_MAX_LENGTH}
          />
        </>
      )}
      <div data-whole-row className="flex flex-wrap gap-2">
        {hasPassword && (
          <Button type="submit" look="primary" disabled={change.isSending}>
            Confirm
          </Button>
        )}
        {hasPasskey && (
          <ChangeButton
            change={change}
            run={async () => {
              await confirmByPasskey();
              return CONFIRMED;
            }}
          >
            Confirm with a passkey
          </ChangeButton>
        )}
      </div>
    </ChangeForm>
  );
}
