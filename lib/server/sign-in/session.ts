import 'server-only';
import { randomBytes } from 'node:crypto';
import type { Role } from '#lib/api/people/permission.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { digest } from './digest.ts';

/** Where a session was begun. */
export interface SessionOrigin {
  /** Family and system, as the browser says. */
  readonly browser: string;
  readonly address: string;
  /** Whether it outlives the browser's window. */
  readonly isKept: boolean;
}

/** The operator who signed in, and how. */
export type SignedInBy = {
  readonly operatorId: string;
  /** The session ends with it: a password's hash, a passkey's id, or the terms of single sign-on. */
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
  /** Names it in lists; it opens nothing. */
  readonly key: string;
  readonly operatorId: string;
  readonly source: 'password' | 'passkey' | 'oidc';
  /** Digest of what it depends on: a password hash, a passkey, or the terms of single sign-on. */
  readonly credentialDigest: string;
  /** Of single sign-on; null for an operator of Lookout's own. */
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

export interface FoundSession extends Session {
  /** False while the database is lost and it was confirmed less than a minute ago: it may read, and do nothing else. */
  readonly isConfirmed: boolean;
}

/** Everything that is given has to match. */
export interface WhichSessions {
  readonly key?: string;
  readonly operatorId?: string;
  /** The key of one that goes on. */
  readonly except?: string;
}

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

/** A short name of a session, for logs: it opens nothing. */
export function sessionLabel(id: string): string {
  return labelOf(digest(id));
}

/** The same, by the session's key. */
export function labelOf(key: string): string {
  return key.slice(0, 8);
}
