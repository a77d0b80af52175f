import { type LookoutRequestError, PASSKEY_NOT_USED } from '#lib/client/request/fetch-lookout.ts';
import { durationText } from '#lib/model/duration-text.ts';

/** Why signing in failed; the same message for unknown names and wrong passwords. */
export function signInRefusalMessage({ kind, code, said, retryAfterS }: LookoutRequestError): string {
  if (kind === 'unreachable') return 'No answer from Lookout’s server. Try again.';
  switch (code) {
    case 'sign_in_refused':
    case 'bad_body':
      return 'This name and password are not accepted.';
    case PASSKEY_NOT_USED:
      return said ?? 'No passkey was used. Try again.';
    case 'too_many_attempts':
      return retryAfterS === undefined
        ? 'Too many attempts. Wait a while and try again.'
        : `Too many attempts. Try again in ${durationText(retryAfterS * 1000)}.`;
    case 'database_lost':
      return 'Nobody can sign in for the moment: Lookout’s database does not answer. Try again in a few seconds.';
    default:
      return 'Could not sign in. Try again.';
  }
}
