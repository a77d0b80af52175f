'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AccountAnswer, endedSchema } from '#lib/api/people/account.ts';
import type { PageViewer } from '#lib/api/people/page-viewer.ts';
import { PASSWORD_MAX_LENGTH } from '#lib/api/people/session-messages.ts';
import { accountQuery } from '#lib/client/account/account-requests.ts';
import { requestJson } from '#lib/client/request/request-json.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { PageFrame } from '../frame/page-frame.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { TextField } from '../ui/form-fields.tsx';
import { ROLE_TEXT } from './account-text.ts';
import { ChangeButton, ChangeForm, ChangeNotes, useChange } from './change.tsx';
import { ReadFailure, staysShown } from './page-parts.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { SessionList } from './session-list.tsx';

/** The own account: password, passkeys and sessions. */
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
