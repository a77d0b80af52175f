'use client';

import '#lib/client/request/zod-without-eval.ts';
import { startTransition, useActionState, useEffect, useState, useSyncExternalStore } from 'react';
import { returnPath } from '#lib/api/people/return-path.ts';
import { NAME_MAX_LENGTH, PASSWORD_MAX_LENGTH } from '#lib/api/people/session-messages.ts';
import {
  COOKIE_NOT_KEPT,
  fetchLookout,
  LookoutRequestError,
  sendToLookout,
} from '#lib/client/request/fetch-lookout.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/form-fields.tsx';
import { COOKIES_NEEDED, signInRefusalMessage } from './sign-in-text.ts';

/**
 * Checks that the browser keeps cookies: without one, the next page would ask for the sign-in again, and say nothing.
 */
async function checkCookie(): Promise<void> {
  try {
    await fetchLookout('/api/session');
  } catch (error) {
    if (error instanceof LookoutRequestError && error.kind === 'signed-out')
      throw new LookoutRequestError('refused', { code: COOKIE_NOT_KEPT });
  }
}

export interface SignInFormProps {
  /** The only origin where passkeys work; `undefined` if no user has one. */
  readonly passkeyOrigin: string | undefined;
  readonly requirePasskeys: boolean;
}

const passkeyRequests = () => import('#lib/client/account/passkey-requests.ts');

/** Sign-in by name and password, or by passkey. It then leads to the `next` of the address, if that is our own path. */
export function SignInForm({ passkeyOrigin, requirePasskeys }: SignInFormProps) {
  const [ready, setReady] = useState(false);
  const [isElsewhere, setIsElsewhere] = useState(false);
  const [refusal, submit, pending] = useActionState(async (_: LookoutRequestError | undefined, fields: FormData) => {
    try {
      const kept = fields.get('kept') === 'yes';
      if (fields.get('by') === 'passkey') await (await passkeyRequests()).signInByPasskey(kept);
      else
        await sendToLookout('POST', '/api/session', {
          name: fields.get('name'),
          password: fields.get('password'),
          kept,
        });
      await checkCookie();
    } catch (error) {
      if (error instanceof LookoutRequestError) return error;
      throw error;
    }
    window.location.assign(returnPath(new URLSearchParams(window.location.search).get('next')));
    // The action stays pending until the navigation replaces the page.
    return new Promise<never>(() => {});
  }, undefined);

  /** Operators with a passkey have no other way in. */
  const isPasskeyFirst = requirePasskeys && passkeyOrigin !== undefined && !isElsewhere;

  useEffect(() => {
    setReady(true);
    setIsElsewhere(passkeyOrigin !== undefined && passkeyOrigin !== window.location.origin);
  }, [passkeyOrigin]);

  return (
    <form
      // Before hydration React keeps submissions, and no password ends up in a URL.
      action={submit}
      // Later submissions bypass React's form action, which would empty the fields after a refusal.
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        startTransition(() => submit(fields));
      }}
      className="flex flex-col gap-4"
    >
      <TextField label="Name" name="name" type="text" autoComplete="username" maxLength={NAME_MAX_LENGTH} />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        maxLength={PASSWORD_MAX_LENGTH}
      />
      <label className="flex min-h-8 items-center gap-2 phone:min-h-11">
        <input type="checkbox" name="kept" value="yes" className="size-4 accent-(--text)" />
        Keep me signed in
      </label>
      <p role="alert" className="text-bad empty:hidden">
        {!pending && refusal && signInRefusalMessage(refusal)}
      </p>
      <Button type="submit" look={isPasskeyFirst ? 'plain' : 'primary'} disabled={pending}>
        {pending ? 'Signing in…' : 'Sign in'}
      </Button>
      {passkeyOrigin !== undefined && !isElsewhere && (
        <Button
          look={isPasskeyFirst ? 'primary' : 'plain'}
          disabled={!ready || pending}
          onClick={({ currentTarget: { form } }) => {
            const fields = new FormData(form ?? undefined);
            fields.set('by', 'passkey');
            startTransition(() => submit(fields));
          }}
        >
          Use a passkey
        </Button>
      )}
      {isElsewhere && (
        <p className="text-caption text-dim">
          Passkeys work at{' '}
          <a href={`${passkeyOrigin}/sign-in`} className="underline underline-offset-2">
            {passkeyOrigin}
          </a>
        </p>
      )}
      {requirePasskeys && (
        <p className="text-caption text-dim">
          Passkeys are required here. A password is only for operators without one, and opens only the page where one is
          added.
        </p>
      )}
    </form>
  );
}

const noChange = () => () => {};

/** Says before anything is typed that the browser keeps no cookies. */
export function CookieNote() {
  const hasCookies = useSyncExternalStore(
    noChange,
    () => navigator.cookieEnabled,
    () => true,
  );
  return (
    <p role="alert" className="text-bad empty:hidden">
      {!hasCookies && COOKIES_NEEDED}
    </p>
  );
}
