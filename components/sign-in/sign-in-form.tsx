'use client';

import '#lib/client/request/zod-without-eval.ts';
import { startTransition, useActionState, useEffect, useState } from 'react';
import { returnPath } from '#lib/api/return-path.ts';
import { NAME_MAX_LENGTH, PASSWORD_MAX_LENGTH } from '#lib/api/session.ts';
import { LookoutRequestError, sendToLookout } from '#lib/client/request/fetch-lookout.ts';
import { Brand } from '../ui/brand.tsx';
import { Button } from '../ui/button.tsx';
import { CoverageNotice } from '../ui/coverage-notice.tsx';
import { signInRefusalMessage } from './sign-in-refusal-message.ts';

export interface SignInFormProps {
  /** Where to go afterwards, from the query string; anything but a path of our own leads to the start page. */
  readonly next: string | undefined;
}

/** The sign-in page. Rendered on the server, so it has no style attribute, which the CSP would block. */
export function SignInForm({ next }: SignInFormProps) {
  const [ready, setReady] = useState(false);
  const [refusal, submit, pending] = useActionState(async (_: LookoutRequestError | undefined, fields: FormData) => {
    try {
      await sendToLookout('POST', '/api/session', { name: fields.get('name'), password: fields.get('password') });
    } catch (error) {
      if (error instanceof LookoutRequestError) return error;
      throw error;
    }
    window.location.assign(returnPath(next));
    // Stays pending until the navigation replaces the page.
    return new Promise<never>(() => {});
  }, undefined);

  useEffect(() => setReady(true), []);

  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <form
        // If the browser submits the form before hydration, the password must not end up in a URL.
        method="post"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          startTransition(() => submit(fields));
        }}
        className="flex w-[min(340px,100%)] flex-col gap-4 rounded-card border border-line bg-surface p-6"
      >
        <Brand />
        <h1 className="text-dim">Sign in to see received positions.</h1>
        <Field label="Name" name="name" type="text" autoComplete="username" maxLength={NAME_MAX_LENGTH} />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          maxLength={PASSWORD_MAX_LENGTH}
        />
        <p role="alert" className="text-bad empty:hidden">
          {!pending && refusal && signInRefusalMessage(refusal)}
        </p>
        <Button type="submit" look="primary" disabled={!ready || pending}>
          {pending ? 'Signing in…' : 'Sign in'}
        </Button>
        <CoverageNotice />
      </form>
    </main>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type: 'text' | 'password';
  readonly autoComplete: string;
  /** In Unicode characters. */
  readonly maxLength: number;
}

function Field({ label, maxLength, ...input }: FieldProps) {
  return (
    <label className="flex flex-col gap-1 font-medium">
      {label}
      <input
        {...input}
        // Browsers count UTF-16 units here, and a character may take two.
        maxLength={2 * maxLength}
        required
        spellCheck={false}
        autoCapitalize="none"
        className="h-10 rounded-control border border-edge bg-background px-3 font-normal phone:h-11 phone:text-[16px]"
      />
    </label>
  );
}
