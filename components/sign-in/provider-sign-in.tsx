'use client';

import { useSyncExternalStore } from 'react';
import { returnPath } from '#lib/api/people/return-path.ts';
import type { SignInProblem } from '#lib/api/people/sign-in-problem.ts';
import { signInProblemText } from './sign-in-text.ts';

export interface ProviderSignInProps {
  readonly host: string;
  readonly isReachable: boolean;
  readonly hasPasswords: boolean;
  readonly address: string;
  readonly endSessionAddress: string | undefined;
  readonly problem: SignInProblem | undefined;
  readonly refusedName: string | undefined;
}

const noChange = () => () => {};

/** Where to go after signing in. The server sends everyone the same page, which does not know it until its code runs. */
function useReturnPath(): string | undefined {
  return useSyncExternalStore(
    noChange,
    () => returnPath(new URLSearchParams(window.location.search).get('next')),
    () => undefined,
  );
}

/** Sign-in at a provider, by links: the CSP limits forms to Lookout, and Chromium applies that to redirects too. */
export function ProviderSignIn({
  host,
  isReachable,
  hasPasswords,
  address,
  endSessionAddress,
  problem,
  refusedName,
}: ProviderSignInProps) {
  const next = useReturnPath();
  // A link without it would open the default view in place of the shared one.
  const begins = next === undefined ? undefined : `${address}?${new URLSearchParams({ next })}`;
  return (
    <div className="flex flex-col gap-3" data-testid="single-sign-on">
      <p role="alert" className="break-words text-bad empty:hidden">
        {problem
          ? signInProblemText(problem, host, refusedName)
          : !isReachable &&
            `${host} cannot be reached at the moment. Try again later${hasPasswords ? ', or use a password' : ''}.`}
      </p>
      <a
        href={begins}
        className="inline-flex h-8 items-center justify-center rounded-control border border-text bg-text px-3 text-center font-medium text-body text-surface hover:opacity-90 phone:h-11"
      >
        <span className="truncate">Sign in with {host}</span>
      </a>
      <p className="flex flex-wrap justify-between gap-x-4 gap-y-1 text-caption">
        <a
          href={begins && `${begins}&as=other`}
          className="text-dim underline underline-offset-2 hover:text-text phone:py-3"
        >
          Sign in as another user
        </a>
        {endSessionAddress && (
          <a href={endSessionAddress} className="text-dim underline underline-offset-2 hover:text-text phone:py-3">
            Sign out at the provider
          </a>
        )}
      </p>
    </div>
  );
}
