import 'server-only';
import { createHash, randomBytes } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { epochMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';

export interface Session {
  readonly operator: string;
  /** The operator's password hash at sign-in, hashed again: a changed password ends the session. */
  readonly passwordDigest: string;
  readonly signedInAt: LocalInstant;
}

const ID_BYTES = 32;
/** A session ends after this long without a request … */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** … and after this long in any case. */
export const SESSION_ABSOLUTE_MS = 7 * DAY_MS;
/** Sessions cached in memory; others are read from the file. */
const CACHED_MAX = 1000;
/** How often a session's last use is written to disk: every poll would be too often. */
const SEEN_STEP_MS = MINUTE_MS;

const SCHEMA = `
  create table if not exists session (
    id_digest text primary key,
    operator text not null,
    password_digest text not null,
    signed_in_ms integer not null,
    seen_ms integer not null
  ) strict, without rowid`;

interface Row {
  readonly operator: string;
  readonly password_digest: string;
  readonly signed_in_ms: number;
  seen_ms: number;
}

/**
 * The open sessions, by the SHA-256 of their id. The cookie carries only the id, so that signing out ends every copy of it, and
 * reading the file does not let anyone in. Sessions survive a restart.
 */
export class SessionRegistry {
  readonly #now: () => LocalInstant;
  /** By id, as stored in the file: no other process writes it. */
  readonly #cached = new LRUCache<string, Row>({ max: CACHED_MAX });
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #touch: StatementSync;
  readonly #delete: StatementSync;
  readonly #prune: StatementSync;

  /**
   * @param file where the sessions are kept, or `:memory:`
   * @throws Error where the file cannot be opened
   */
  constructor(file: string, now: () => LocalInstant) {
    this.#now = now;
    const database = new DatabaseSync(file);
    database.exec(SCHEMA);
    this.#insert = database.prepare('insert into session values (?, ?, ?, ?, ?)');
    this.#select = database.prepare('select * from session where id_digest = ?');
    this.#touch = database.prepare('update session set seen_ms = ? where id_digest = ?');
    this.#delete = database.prepare('delete from session where id_digest = ?');
    this.#prune = database.prepare('delete from session where seen_ms <= ? or signed_in_ms <= ?');
  }

  /** @returns the new session's id, which no one else knows */
  open(operator: string, passwordHash: string): string {
    const nowMs = epochMs(this.#now());
    this.#prune.run(nowMs - SESSION_IDLE_MS, nowMs - SESSION_ABSOLUTE_MS);
    const id = randomBytes(ID_BYTES).toString('base64url');
    this.#insert.run(digest(id), operator, digest(passwordHash), nowMs, nowMs);
    return id;
  }

  /** The session, unless it has ended. Each call counts as a request, and so postpones the idle end. */
  find(id: string): Session | undefined {
    const row = this.#cached.get(id) ?? (this.#select.get(digest(id)) as Row | undefined);
    if (!row) return undefined;
    const nowMs = epochMs(this.#now());
    if (nowMs - row.seen_ms >= SESSION_IDLE_MS || nowMs - row.signed_in_ms >= SESSION_ABSOLUTE_MS) {
      this.close(id);
      return undefined;
    }
    if (nowMs - row.seen_ms >= SEEN_STEP_MS) {
      row.seen_ms = nowMs;
      this.#touch.run(nowMs, digest(id));
    }
    this.#cached.set(id, row);
    return {
      operator: row.operator,
      passwordDigest: row.password_digest,
      signedInAt: localInstant(row.signed_in_ms),
    };
  }

  close(id: string): void {
    this.#cached.delete(id);
    this.#delete.run(digest(id));
  }
}

/** SHA-256, fast on purpose: for ids that are already random and password hashes that are already slow. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
