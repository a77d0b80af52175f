import 'server-only';
import { randomBytes } from 'node:crypto';
import type { AccountNeed } from '#lib/api/people/account.ts';
import type { Role } from '#lib/api/people/permission.ts';
import { addMs, type LocalInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import { digest } from './digest.ts';
import type { SingleSignOn } from './oidc/single-sign-on.ts';
import type { Operators } from './operators.ts';

export interface SessionOrigin {
  readonly browser: string;
  readonly address: string;
  /** Whether it outlives the browser's window. */
  readonly isKept: boolean;
}

export type SignedInBy = {
  readonly operatorId: string;
  /** A password's hash, a passkey's id, or the terms of single sign-on: the session ends with it. */
  readonly credential: string;
} & (
  | { readonly source: 'password' | 'passkey' }
  /** An SSO user without a local account: name and role are those of the sign-in. */
  | {
      readonly source: 'oidc';
      readonly name: string;
      readonly role: Role;
      readonly issuer: string;
      readonly subject: string;
    }
);

export interface Session {
  /** The key names the session, and opens nothing. */
  readonly key: string;
  readonly operatorId: string;
  readonly source: 'password' | 'passkey' | 'oidc';
  readonly credentialDigest: string;
  readonly person: {
    readonly name: string;
    readonly role: Role;
    readonly issuer: string;
    readonly subject: string;
  } | null;
  readonly origin: SessionOrigin;
  readonly signedInAt: LocalInstant;
  /** The last request, to the minute. */
  readonly seenAt: LocalInstant;
}

export interface FoundSession extends Session {
  /** False while the database is lost: then it may only read. */
  readonly isConfirmed: boolean;
}

const ID_BYTES = 32;

export function newSessionId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

export function newSession(id: string, by: SignedInBy, origin: SessionOrigin, now: LocalInstant): Session {
  const { operatorId, source, credential } = by;
  const person = by.source === 'oidc' ? { name: by.name, role: by.role, issuer: by.issuer, subject: by.subject } : null;
  const { browser, address, isKept } = origin;
  return {
    key: digest(id),
    operatorId,
    source,
    credentialDigest: digest(credential),
    person,
    origin: { browser, address, isKept },
    signedInAt: now,
    seenAt: now,
  };
}

/** The name of a session in logs, which opens nothing. */
export function sessionLabel(id: string): string {
  return labelOf(digest(id));
}

export function labelOf(key: string): string {
  return key.slice(0, 8);
}

export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** The idle time of a session that the browser keeps. */
export const SESSION_KEPT_IDLE_MS = 3 * DAY_MS;
export const SESSION_ABSOLUTE_MS = 7 * DAY_MS;
/** Ends access within a day after the provider's refusal. */
export const SESSION_OIDC_ABSOLUTE_MS = DAY_MS;

function endOf({ origin, source, seenAt, signedInAt }: Session): LocalInstant {
  const idle = addMs(seenAt, origin.isKept ? SESSION_KEPT_IDLE_MS : SESSION_IDLE_MS);
  const absolute = addMs(signedInAt, source === 'oidc' ? SESSION_OIDC_ABSOLUTE_MS : SESSION_ABSOLUTE_MS);
  return idle < absolute ? idle : absolute;
}

export function hasEnded(session: Session, now: LocalInstant): boolean {
  return now >= endOf(session);
}

/** The part of a session, or of a subscription to push, that names its operator and proves that it still holds. */
export type Bearer = Pick<Session, 'operatorId' | 'source' | 'credentialDigest' | 'person'>;

export interface SessionOperator {
  /** Stable: an operator's name; `oidc:…` for an operator of a provider; `local` without sign-in. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

export interface WaysIn {
  readonly operators: Operators;
  readonly singleSignOn: Pick<SingleSignOn, 'terms'> | undefined;
}

/** `undefined` if the password or the terms of single sign-on have changed, or the operator was removed. */
export function operatorOfSession(
  { operatorId, person, credentialDigest }: Bearer,
  { operators, singleSignOn }: WaysIn,
): SessionOperator | undefined {
  if (person) {
    const isOnTerms = singleSignOn !== undefined && digest(singleSignOn.terms) === credentialDigest;
    return isOnTerms ? { id: operatorId, name: person.name, role: person.role } : undefined;
  }
  const entry = operators.find(operatorId);
  if (!entry) return undefined;
  const credentials = [entry.password ?? [], entry.passkeys.map(({ id }) => id)].flat();
  if (!credentials.some((credential) => digest(credential) === credentialDigest)) return undefined;
  return { id: operatorId, name: operatorId, role: entry.role };
}

/** A step of the operator before anything else is open. */
export function needsOf(
  { operatorId, source }: Bearer,
  operators: Operators,
  requiresPasskeys: boolean,
): AccountNeed | undefined {
  if (source !== 'password') return undefined;
  if (operators.find(operatorId)?.initial_until !== undefined) return 'new-password';
  return requiresPasskeys ? 'passkey' : undefined;
}
