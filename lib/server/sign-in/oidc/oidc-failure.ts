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
export class ClientRefused extends Error {}

export interface OidcFailure {
  readonly problem: SignInProblem;
  /** The detail for the log. Of the provider's words, it has only an error code. */
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

const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);

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
  if (error instanceof ClientRefused) return { problem: 'provider_error', detail: error.message };
  if (error instanceof SecretUnreadable) return { problem: 'provider_error', detail: causesOf(error) };
  const isUntrusted = error instanceof ClientError && !NO_ANSWER.has(error.code);
  return { problem: isUntrusted ? 'untrusted' : 'unreachable', detail: causesOf(error) };
}

/** RFC 6749, section 5.2; some answer 401 without its body. */
export function refusesClient(error: unknown): boolean {
  return statusOf(error) === 401 || (error instanceof ResponseBodyError && error.error === 'invalid_client');
}

/** @returns the status of an answer that will be the same next time: no fault of the server, no pause */
export function refusedWith(error: unknown): number | undefined {
  const status = statusOf(error);
  return status !== undefined && status !== 200 && status < 500 && !BUSY.has(status) ? status : undefined;
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof WWWAuthenticateChallengeError) return error.status;
  return error instanceof Error && error.cause instanceof Response ? error.cause.status : undefined;
}

/** The messages of an error's causes: other properties may contain tokens. */
export function causesOf(error: unknown): string {
  const messages = [];
  let cause = error;
  for (; cause instanceof Error && messages.length < 5; cause = cause.cause) {
    // A parser quotes its input.
    messages.push(cause instanceof SyntaxError ? 'not JSON' : cause.message);
  }
  if (cause instanceof Response) messages.push(`it answered ${cause.status}`);
  return messages.join(': ');
}

function errorCode(code: string): string {
  return /^[a-z0-9_]{1,64}$/.test(code) ? code : 'an error';
}
