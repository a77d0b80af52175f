import type { SignInProblem } from '#lib/api/people/sign-in-problem.ts';
import { COOKIE_NOT_KEPT, type LookoutRequestError, PASSKEY_NOT_USED } from '#lib/client/request/fetch-lookout.ts';
import { DATABASE_LOST, noAnswerMessage, tooManyAttemptsMessage } from '#lib/client/request/refusal-message.ts';

const NO_SIGN_IN = `Sign-in is not available at the moment: ${DATABASE_LOST} Try again in a few seconds.`;

export function signInProblemText(problem: SignInProblem, provider: string, refusedName: string | undefined): string {
  switch (problem) {
    case 'cancelled':
      return `Signing in at ${provider} was not completed. You are not signed in.`;
    case 'expired':
      return 'This sign-in was begun more than ten minutes ago or in another browser, or was used already. Sign in again.';
    case 'unreachable':
      return `No usable answer from ${provider}. Try again in a moment.`;
    case 'untrusted':
      return `The answer from ${provider} did not pass a check, so you are not signed in. Try again; if it stays so, tell an administrator of Lookout.`;
    case 'unusable_claims':
      return `Lookout cannot use what ${provider} says about you. Tell an administrator of Lookout; the log says what it is.`;
    case 'not_allowed':
      return `${refusedName ?? 'The account that is signed in'} at ${provider} is not allowed to use Lookout. Ask an administrator of Lookout for access, or sign in as another user.`;
    case 'groups_not_sent':
      return `${refusedName ?? 'The account that is signed in'} is in so many groups that ${provider} does not send them, so Lookout cannot tell whether this account is allowed. Tell an administrator of Lookout.`;
    case 'too_many_attempts':
      return 'Too many sign-ins from this address have failed. Try again in a quarter of an hour.';
    case 'provider_error':
      return `Signing in at ${provider} ended with an error. Try again; if it stays so, tell an administrator of Lookout.`;
    case 'database':
      return NO_SIGN_IN;
  }
}

export const COOKIES_NEEDED =
  'This browser blocks cookies for this page. Sign-in needs one: allow cookies for this address, then sign in.';

/** Why a sign-in was refused. Unknown names and wrong passwords have the same message. */
export function signInRefusalMessage({ kind, code, said, retryAfterS }: LookoutRequestError): string {
  if (kind === 'unreachable') return noAnswerMessage('. Try again.');
  switch (code) {
    case 'sign_in_refused':
    case 'bad_body':
      return 'This name and password are not accepted.';
    case COOKIE_NOT_KEPT:
      return COOKIES_NEEDED;
    case PASSKEY_NOT_USED:
      return said ?? 'No passkey was used. Try again.';
    case 'too_many_attempts':
      return tooManyAttemptsMessage(retryAfterS);
    case 'database_lost':
      return NO_SIGN_IN;
    default:
      return 'Could not sign in. Try again.';
  }
}
