import 'server-only';
import { createHash, randomBytes } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Role } from '#lib/api/people/permission.ts';
import { epochMs, type LocalInstant, localInstant, msBetween } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { ApiError } from '../api-error.ts';
import { storageFailureText, storageProblem } from '../stores/storage-problem.ts';
import { StoreHealth } from '../stores/store-health.ts';

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

/** In DATA_DIR. */
export const SESSIONS_FILE = 'sessions.sqlite';
const ID_BYTES = 32;
/** A session ends after this long without a request … */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** … if the browser keeps it, after this long … */
export const SESSION_KEPT_IDLE_MS = 3 * DAY_MS;
/** … and after this long in any case. */
export const SESSION_ABSOLUTE_MS = 7 * DAY_MS;
/** One of single sign-on sooner: whom the provider does not let in any more is out within a day. */
const SESSION_OIDC_ABSOLUTE_MS = DAY_MS;
/** Sessions cached in memory; others are read from the file. */
const CACHED_MAX = 1000;
/** How often a session's last use is written to disk: every poll would be too often. */
const SEEN_STEP_MS = MINUTE_MS;
/** How soon it is seen that another process, such as `npm run operator`, has ended a session. */
const FOREIGN_CHANGES_EVERY_MS = SECOND_MS;
/** How long a statement waits for one of another process. */
const BUSY_TIMEOUT_MS = 2000;
/** Sessions of an older form are dropped: people sign in again. */
const SCHEMA_VERSION = 2;

const HEALTH_NAME = 'sessions';

const SCHEMA = `
  drop table if exists session;
  create table session (
    key text primary key,
    operator text not null,
    source text not null,
    credential_digest text not null,
    name text,
    role text,
    issuer text,
    subject text,
    browser text not null,
    address text not null,
    kept integer not null,
    signed_in_ms integer not null,
    seen_ms integer not null
  ) strict, without rowid;
  create index session_operator on session (operator);
  pragma user_version = ${SCHEMA_VERSION}`;

interface Row {
  readonly key: string;
  readonly operator: string;
  readonly source: Session['source'];
  readonly credential_digest: string;
  readonly name: string | null;
  readonly role: Role | null;
  readonly issuer: string | null;
  readonly subject: string | null;
  readonly browser: string;
  readonly address: string;
  readonly kept: 0 | 1;
  readonly signed_in_ms: number;
  readonly seen_ms: number;
}

/**
 * The open sessions, by the SHA-256 of their id. The cookie carries only the id, so that signing out ends every copy of it, and
 * reading the file does not let anyone in. Sessions survive a restart, and other processes may end them.
 */
export class SessionRegistry {
  readonly #now: () => LocalInstant;
  readonly #health: StoreHealth;
  readonly #database: DatabaseSync;
  /** By key; emptied when another process has written the file. */
  readonly #cached = new LRUCache<string, Session>({ max: CACHED_MAX });
  readonly #select: StatementSync;
  readonly #touch: StatementSync;
  readonly #dataVersion: StatementSync;
  #knownVersion: number;
  #versionReadAt: LocalInstant;

  /**
   * @param file where the sessions are kept, or `:memory:`
   * @param health is told whether it can be written
   * @throws Error where the file cannot be opened
   */
  constructor(file: string, now: () => LocalInstant, health = new StoreHealth()) {
    this.#now = now;
    this.#health = health;
    this.#database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    const { user_version } = this.#database.prepare('pragma user_version').get() as { user_version: number };
    if (user_version !== SCHEMA_VERSION) this.#database.exec(`begin immediate; ${SCHEMA}; commit`);
    this.#select = this.#database.prepare('select * from session where key = ?');
    this.#touch = this.#database.prepare('update session set seen_ms = ? where key = ?');
    this.#dataVersion = this.#database.prepare('pragma data_version');
    this.#knownVersion = this.#foreignVersion();
    this.#versionReadAt = now();
  }

  /** @returns the new session's id, which no one else knows. @throws ApiError where the disk cannot be written */
  open(by: SignedInBy, { browser, address, isKept }: SessionOrigin): string {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const nowMs = epochMs(this.#now());
    const person = by.source === 'oidc' ? by : undefined;
    this.#change(() => {
      this.#prune();
      this.#database
        .prepare('insert into session values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
        .run(
          digest(id),
          by.operatorId,
          by.source,
          digest(by.credential),
          person?.name ?? null,
          person?.role ?? null,
          person?.issuer ?? null,
          person?.subject ?? null,
          browser,
          address,
          isKept ? 1 : 0,
          nowMs,
          nowMs,
        );
    });
    return id;
  }

  /** The session, unless it has ended. Each call counts as a request, and so postpones the idle end. */
  find(id: string): Session | undefined {
    const session = this.peek(id);
    if (!session) return undefined;
    const now = this.#now();
    if (msBetween(session.seenAt, now) < SEEN_STEP_MS) return session;
    const seen = { ...session, seenAt: now };
    // Memory knows it as well: a disk that cannot be written keeps nobody from reading.
    this.#health.written(HEALTH_NAME, () => this.#touch.run(epochMs(now), session.key));
    this.#cached.set(session.key, seen);
    return seen;
  }

  /** The same, but does not count as a request: for an answer that is under way. */
  peek(id: string): Session | undefined {
    this.#noticeForeignChanges();
    const key = digest(id);
    const session = this.#cached.get(key) ?? toSession(this.#select.get(key) as Row | undefined);
    if (!session) return undefined;
    if (hasEnded(session, this.#now())) {
      this.drop(id);
      return undefined;
    }
    this.#cached.set(key, session);
    return session;
  }

  /** @throws ApiError where the disk cannot be written: it goes on */
  close(id: string): void {
    this.end({ key: digest(id) });
  }

  /** Removes a session that opens nothing any more, when the disk can be written. */
  drop(id: string): void {
    const key = digest(id);
    this.#cached.delete(key);
    this.#health.written(HEALTH_NAME, () => this.#database.prepare('delete from session where key = ?').run(key));
  }

  /** The open sessions of one operator, or of all; the ones last used first. */
  list(operatorId?: string): readonly Session[] {
    this.#health.written(HEALTH_NAME, () => this.#prune());
    const rows =
      operatorId === undefined
        ? this.#database.prepare('select * from session order by seen_ms desc, key').all()
        : this.#database.prepare('select * from session where operator = ? order by seen_ms desc, key').all(operatorId);
    return (rows as unknown as Row[]).map((row) => toSession(row) as Session);
  }

  /**
   * Ends the sessions that match everything that is given.
   * @param which `except`: the key of one that goes on
   * @returns how many they were
   * @throws ApiError where the disk cannot be written: they go on
   */
  end({ key, operatorId, except }: { readonly key?: string; readonly operatorId?: string; readonly except?: string }) {
    const { changes } = this.#change(() =>
      this.#database
        .prepare(
          `delete from session
         where (:key is null or key = :key) and (:operatorId is null or operator = :operatorId) and key is not :except`,
        )
        .run({ key: key ?? null, operatorId: operatorId ?? null, except: except ?? null }),
    );
    this.#cached.clear();
    return Number(changes);
  }

  /** The session goes on with another password or passkey. */
  rebind(key: string, credential: string): void {
    const rebound = this.#database.prepare('update session set credential_digest = ? where key = ?');
    this.#change(() => rebound.run(digest(credential), key));
    this.#cached.delete(key);
  }

  /** A change that somebody asked for: where it is not made, they are told. */
  #change<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      const problem = storageProblem(error);
      throw problem === undefined ? error : new ApiError('storage_failed', storageFailureText(problem));
    }
  }

  #noticeForeignChanges(): void {
    const now = this.#now();
    if (Math.abs(msBetween(this.#versionReadAt, now)) < FOREIGN_CHANGES_EVERY_MS) return;
    this.#versionReadAt = now;
    const version = this.#foreignVersion();
    if (version !== this.#knownVersion) this.#cached.clear();
    this.#knownVersion = version;
  }

  /** Another number whenever another connection has written the file. */
  #foreignVersion(): number {
    return (this.#dataVersion.get() as { data_version: number }).data_version;
  }

  #prune(): void {
    const nowMs = epochMs(this.#now());
    this.#database
      .prepare(
        `delete from session where signed_in_ms <= case source when 'oidc' then :oidcAbsolute else :absolute end
         or seen_ms <= case kept when 1 then :keptIdle else :idle end`,
      )
      .run({
        absolute: nowMs - SESSION_ABSOLUTE_MS,
        oidcAbsolute: nowMs - SESSION_OIDC_ABSOLUTE_MS,
        keptIdle: nowMs - SESSION_KEPT_IDLE_MS,
        idle: nowMs - SESSION_IDLE_MS,
      });
  }
}

function hasEnded({ origin, source, seenAt, signedInAt }: Session, now: LocalInstant): boolean {
  const idleMs = origin.isKept ? SESSION_KEPT_IDLE_MS : SESSION_IDLE_MS;
  const absoluteMs = source === 'oidc' ? SESSION_OIDC_ABSOLUTE_MS : SESSION_ABSOLUTE_MS;
  return msBetween(seenAt, now) >= idleMs || msBetween(signedInAt, now) >= absoluteMs;
}

function toSession(row: Row | undefined): Session | undefined {
  if (!row) return undefined;
  const { name, role, issuer, subject } = row;
  return {
    key: row.key,
    operatorId: row.operator,
    source: row.source,
    credentialDigest: row.credential_digest,
    person:
      name !== null && role !== null && issuer !== null && subject !== null ? { name, role, issuer, subject } : null,
    origin: { browser: row.browser, address: row.address, isKept: row.kept === 1 },
    signedInAt: localInstant(row.signed_in_ms),
    seenAt: localInstant(row.seen_ms),
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

/** SHA-256, fast on purpose: for ids that are already random and password hashes that are already slow. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
