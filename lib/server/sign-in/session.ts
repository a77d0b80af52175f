import 'server-only';
import { randomBytes } from 'node:crypto';
import type { Role } from '#lib/api/people/permission.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { digest } from './digest.ts';

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
  /** Opens nothing. */
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
  /** To the minute. */
  readonly seenAt: LocalInstant;
}

export interface FoundSession extends Session {
  /** False while the database is lost: then it may only read. */
  readonly isConfirmed: boolean;
}

/** All given fields have to match. */
export interface WhichSessions {
  readonly key?: string;
  readonly operatorId?: string;
  readonly except?: string;
}

/** Every poll would be too often. */
export const SEEN_STEP_MS = MINUTE_MS;
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

/** For logs: it opens nothing. */
export function sessionLabel(id: string): string {
  return labelOf(digest(id));
}

export function labelOf(key: string): string {
  return key.slice(0, 8);
}
