import 'server-only';
import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Instant } from '#lib/time/instant.ts';

export interface Session {
  readonly operator: string;
  /** The operator's password hash at sign-in: a changed password ends the session. */
  readonly passwordHash: string;
  readonly signedInAt: Instant;
}

const ID_BYTES = 32;
/** A session ends after this long without a request, … */
const IDLE_MS = 12 * 3_600_000;
/** … and after this long in any case. */
const ABSOLUTE_MS = 7 * 86_400_000;
const SESSIONS_MOST = 10_000;

/**
 * The sessions that stand, by the SHA-256 of their id: the cookie carries only the id, so that signing out ends a session
 * wherever its cookie went. Kept in memory: a restart signs everybody out.
 */
export class SessionRegistry {
  readonly #sessions: LRUCache<string, Session>;
  readonly #now: () => Instant;

  constructor(now: () => Instant) {
    this.#now = now;
    this.#sessions = new LRUCache({
      max: SESSIONS_MOST,
      ttl: IDLE_MS,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now },
    });
  }

  /** @returns the new session's id, which nobody else has seen */
  open(operator: string, passwordHash: string): string {
    const id = randomBytes(ID_BYTES).toString('base64url');
    this.#sessions.set(digest(id), { operator, passwordHash, signedInAt: this.#now() });
    return id;
  }

  find(id: string): Session | undefined {
    const session = this.#sessions.get(digest(id));
    if (session && this.#now() - session.signedInAt >= ABSOLUTE_MS) {
      this.close(id);
      return undefined;
    }
    return session;
  }

  close(id: string): void {
    this.#sessions.delete(digest(id));
  }
}

function digest(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
