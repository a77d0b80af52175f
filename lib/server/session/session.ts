import 'server-only';
import { createHash, randomBytes } from 'node:crypto';
import type { Role } from '#lib/api/people/permission.ts';
import { addMs, type LocalInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';

/** Where a session was begun. */
export interface SessionOrigin {
  /** Family and system, as the browser says. */
  readonly browser: string;
  readonly address: string;
  /** Whether it outlives the browser's window. */
  readonly isKept: boolean;
}

/** Who signed in, and by what. */
export type SignedInBy = {
  readonly operatorId: string;
  /** The session ends with it: a password's hash in the file of operators, a passkey's id, or the terms of single sign-on. */
  readonly credential: string;
} & (
  | { readonly source: 'password' | 'passkey' }
  /** Somebody of a provider, who is in no file: name and role are those of the sign-in. */
  | {
      readonly source: 'oidc';
      readonly name: string;
      readonly role: Role;
      readonly issuer: string;
      readonly subject: string;
    }
);

export interface Session {
  /** Names it in lists; nobody gets in with it. */
  readonly key: string;
  readonly operatorId: string;
  readonly source: 'password' | 'passkey' | 'oidc';
  /** Digest of what it depends on: a password hash, a passkey, or the terms of single sign-on. */
  readonly credentialDigest: string;
  /** Of single sign-on; null where the file of operators says them. */
  readonly person: {
    readonly name: string;
    readonly role: Role;
    readonly issuer: string;
    readonly subject: string;
  } | null;
  readonly origin: SessionOrigin;
  readonly signedInAt: LocalInstant;
  /** To the minute. */
  readonly seenAt: LocalInstant;
}

/** A session ends after this long without a request … */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** … if the browser keeps it, after this long … */
export const SESSION_KEPT_IDLE_MS = 3 * DAY_MS;
/** … and after this long in any case. */
export const SESSION_ABSOLUTE_MS = 7 * DAY_MS;
/** One of single sign-on sooner: whom the provider does not let in any more is out within a day. */
export const SESSION_OIDC_ABSOLUTE_MS = DAY_MS;

/** How often a session's last use is written: every poll would be too often. */
export const SEEN_STEP_MS = MINUTE_MS;
const ID_BYTES = 32;

/** In the cookie, and nowhere else. */
export function newSessionId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

/** @param id of `newSessionId` */
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

/** When it ends, if it is not used again. */
export function endOf({ origin, source, seenAt, signedInAt }: Session): LocalInstant {
  const idle = addMs(seenAt, origin.isKept ? SESSION_KEPT_IDLE_MS : SESSION_IDLE_MS);
  const absolute = addMs(signedInAt, source === 'oidc' ? SESSION_OIDC_ABSOLUTE_MS : SESSION_ABSOLUTE_MS);
  return idle < absolute ? idle : absolute;
}

/** Whether too long has passed since it was begun, or used. */
export function hasEnded(session: Session, now: LocalInstant): boolean {
  return now >= endOf(session);
}

/** A short name of a session, for logs: it opens nothing. */
export function sessionLabel(id: string): string {
  return labelOf(digest(id));
}

/** The same, by the session's key. */
export function labelOf(key: string): string {
  return key.slice(0, 8);
}

/** SHA-256, fast on purpose: for ids that are already random and password hashes that are already slow. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
