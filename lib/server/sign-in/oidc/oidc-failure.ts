import 'server-only';
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import type { SignInProblem } from '#lib/api/people/sign-in-problem.ts';

export class ProviderUnreachable extends Error {}
export class SecretUnreadable extends Error {}

export interface OidcFailure {
  readonly problem: SignInProblem;
  /** For the log; of the provider's words, only an error code. */
  readonly detail: string;
}

/** Refusals of RFC 6749 4.1.2.1 and OpenID Connect Core 3.1.2.6. */
const CANCELLED: ReadonlySet<string> = new Set([
  'access_denied',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);

/** Other codes mean a failed check. */
const NO_ANSWER: ReadonlySet<string | undefined> = new Set([
  undefined,
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
]);

export function oidcFailure(error: unknown): OidcFailure {
  if (error instanceof AuthorizationResponseError) {
    const problem = CANCELLED.has(error.error) ? 'cancelled' : 'provider_error';
    return { problem, detail: `the provider reported ${errorCode(error.error)}` };
  }
  if (error instanceof ResponseBodyError) {
    // The code was used before, or waited too long.
    const problem = error.error === 'invalid_grant' ? 'expired' : 'provider_error';
    return { problem, detail: `the provider answered ${errorCode(error.error)}` };
  }
  if (error instanceof WWWAuthenticateChallengeError)
    return { problem: 'provider_error', detail: 'the provider refused OIDC_CLIENT_ID and its secret' };
  if (error instanceof SecretUnreadable) return { problem: 'provider_error', detail: causesOf(error) };
  const isUntrusted = error instanceof ClientError && !NO_ANSWER.has(error.code);
  return { problem: isUntrusted ? 'untrusted' : 'unreachable', detail: causesOf(error) };
}

/** Only messages: other properties may contain tokens. */
export function causesOf(error: unknown): string {
  const messages = [];
  for (let cause = error; cause instanceof Error && messages.length < 5; cause = cause.cause) {
    // A parser quotes its input.
    messages.push(cause instanceof SyntaxError ? 'not JSON' : cause.message);
  }
  return messages.join(': ');
}

function errorCode(code: string): string {
  return /^[a-z0-9_]{1,64}$/.test(code) ? code : 'an error';
}
