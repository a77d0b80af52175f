import 'server-only';
import type { Role } from '#lib/api/people/permission.ts';
import type { LocalInstant } from '#lib/time/instant.ts';

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

export interface FoundSession extends Session {
  /** False while nobody can tell whether it was ended elsewhere, and it went on less than a minute ago: it may read, and do nothing else. */
  readonly isConfirmed: boolean;
}

/** Everything that is given has to match. */
export interface WhichSessions {
  readonly key?: string;
  readonly operatorId?: string;
  /** The key of one that goes on. */
  readonly except?: string;
}

/**
 * The open sessions. What one server ends, all others find ended within a second. Every method throws `ApiError` where that cannot be read or
 * written: nobody is then taken for signed out.
 */
export interface Sessions {
  /** @returns the new session's id, which no one else knows */
  open(by: SignedInBy, origin: SessionOrigin): Promise<string>;
  /** The session, unless it has ended. Each call counts as a request, and so postpones the idle end. */
  find(id: string): Promise<FoundSession | undefined>;
  /** The same, but does not count as a request: for an answer that is under way. */
  peek(id: string): Promise<FoundSession | undefined>;
  close(id: string): Promise<void>;
  /**
   * Removes a session that opens nothing any more, unless it goes on with another credential than this one. Does not throw where that cannot be
   * written.
   */
  drop(session: Pick<Session, 'key' | 'credentialDigest'>): Promise<void>;
  /** The open sessions of one operator, or of all; the ones last used first. */
  list(operatorId?: string): Promise<readonly Session[]>;
  /** @returns how many were ended */
  end(which: WhichSessions): Promise<number>;
  /** The session goes on with another password or passkey. */
  rebind(key: string, credential: string): Promise<void>;
}
