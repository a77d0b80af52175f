import type { Person, SessionRow } from '#lib/api/people/account.ts';
import type { Role } from '#lib/api/people/permission.ts';
import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { noAnswerMessage, tooManyAttemptsMessage } from '#lib/client/request/refusal-message.ts';
import { type ClockZone, dateTimeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';

export function momentText(time: string, zone: ClockZone): string {
  const at = parseInstant(time);
  return at === undefined ? 'unknown time' : dateTimeText(at, zone);
}

export function agoText(at: string, now: UpstreamInstant | undefined): string | undefined {
  const instant = parseInstant(at);
  return instant === undefined || now === undefined ? undefined : `${durationText(msBetween(instant, now))} ago`;
}

const BY: Readonly<Record<SessionRow['by'], string>> = {
  password: 'password',
  passkey: 'passkey',
  oidc: 'single sign-on',
};

export function sessionText({ by, address, signed_in_at, seen_at, kept }: SessionRow, zone: ClockZone): string {
  const began = `from ${address}, by ${BY[by]}, since ${momentText(signed_in_at, zone)}`;
  return `${began}; last seen ${momentText(seen_at, zone)}; ${kept ? 'kept by the browser' : 'ends with the browser'}`;
}

export const ROLE_TEXT: Readonly<Record<Role, string>> = {
  viewer: 'you see what is received now, and what others have loaded of the past',
  operator: 'you see what is received now, and load the past',
  admin: 'you see what is received now, load the past, change people and read the audit',
};

const PASSWORD: Readonly<Record<Person['password'], string>> = {
  none: 'no password',
  own: 'password',
  initial: 'initial password, not changed yet',
  expired: 'initial password, expired: make a new one',
};

export function waysInText({ in_file, password, passkeys }: Person, requiresPasskeys: boolean): string {
  if (!in_file) return 'signs in at the provider';
  if (password === 'none' && passkeys === 0) return 'cannot sign in: make a new password';
  if (requiresPasskeys) return passkeys === 0 ? `${PASSWORD[password]}, no passkey yet` : `passkeys: ${passkeys}`;
  return passkeys === 0 ? PASSWORD[password] : `${PASSWORD[password]}, passkeys: ${passkeys}`;
}

export function spentText({ spent_today: { past, first_views } }: Person): string {
  return `requests today (UTC): ${past} for the past, ${first_views} for new places`;
}

export function refusalText({ kind, code, said, retryAfterS }: LookoutRequestError): string {
  if (kind === 'unreachable') return noAnswerMessage('. Try again.');
  if (kind === 'signed-out') return 'Your session has ended: sign in again.';
  if (code === 'too_many_attempts' && retryAfterS !== undefined) return tooManyAttemptsMessage(retryAfterS);
  return said ?? 'This could not be done. Try again.';
}
