import type { SignInProblem } from '#lib/api/people/sign-in-problem.ts';
import { signInProblemText } from './sign-in-problem-text.ts';

export interface ProviderSignInProps {
  /** The name of its host. */
  readonly provider: string;
  readonly isReachable: boolean;
  /** Whether there is another way in. */
  readonly hasPasswords: boolean;
  /** Where signing in begins; with `as=other` the provider asks who signs in. */
  readonly address: string;
  /** The provider's own sign-out, if it has one. */
  readonly endSessionAddress: string | undefined;
  readonly problem: SignInProblem | undefined;
  /** Who was not allowed. */
  readonly refusedName: string | undefined;
}

/**
 * Signing in at a provider. These are links and not buttons of a form: the policy lets forms be sent to Lookout alone, and Chromium
 * applies it to where they are redirected.
 */
export function ProviderSignIn({
  provider,
  isReachable,
  hasPasswords,
  address,
  endSessionAddress,
  problem,
  refusedName,
}: ProviderSignInProps) {
  return (
    <div className="flex flex-col gap-3" data-testid="single-sign-on">
      <p role="alert" className="break-words text-bad empty:hidden">
        {problem
          ? signInProblemText(problem, provider, refusedName)
          : !isReachable &&
            `${provider} cannot be reached at the moment. Try again later${hasPasswords ? ', or use a password' : ''}.`}
      </p>
      <a
        href={address}
        className="inline-flex h-8 items-center justify-center rounded-control border border-text bg-text px-3 text-center font-medium text-body text-surface hover:opacity-90 phone:h-11"
      >
        <span className="truncate">Sign in with {provider}</span>
      </a>
      <p className="flex flex-wrap justify-between gap-x-4 gap-y-1 text-caption">
        <a href={`${address}&as=other`} className="text-dim underline underline-offset-2 hover:text-text phone:py-3">
          Sign in as somebody else
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
