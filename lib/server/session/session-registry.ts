import 'server-only';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Role } from '#lib/api/people/permission.ts';
import { epochMs, type LocalInstant, localInstant, msBetween } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { ApiError } from '../api-error.ts';
import { digest } from '../digest.ts';
import type { FoundSession, Session, SessionOrigin, Sessions, SignedInBy, WhichSessions } from '../ports/sessions.ts';
import { storageFailureText, storageProblem } from '../stores/storage-problem.ts';
import { StoreHealth } from '../stores/store-health.ts';
import {
  hasEnded,
  newSession,
  newSessionId,
  SEEN_STEP_MS,
  SESSION_ABSOLUTE_MS,
  SESSION_IDLE_MS,
  SESSION_KEPT_IDLE_MS,
  SESSION_OIDC_ABSOLUTE_MS,
} from './session.ts';

/** In DATA_DIR. */
export const SESSIONS_FILE = 'sessions.sqlite';
/** Sessions cached in memory; others are read from the file. */
const CACHED_MAX = 1000;
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
 * reading the file does not let anyone in. Sessions survive a restart, and other processes may end them. A disk that cannot be written leaves
 * all of them as they are.
 */
export class SessionRegistry implements Sessions {
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
   * @param health learns whether it can be written
   * @throws Error where the file cannot be opened
   */
  constructor(file: string, now: () => LocalInstant, health = new StoreHealth()) {
    this.#now = now;
    this.#health = health;
    this.#database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    const { user_version } = this.#database.prepare('pragma user_version').get() as { user_version: number };
    if (user_version !== SCHEMA_VERSION) this.#database.exec(`begin immediate; ${SCHEMA}; commit`);
    this.#select = this.#database.prepare('select * from session where key = ?');
    this.#touch = this.#database.prepare('update session set seen_ms = ?, signed_in_ms = ? where key = ?');
    this.#dataVersion = this.#database.prepare('pragma data_version');
    this.#knownVersion = this.#foreignVersion();
    this.#versionReadAt = now();
  }

  async open(by: SignedInBy, from: SessionOrigin): Promise<string> {
    const id = newSessionId();
    const { key, credentialDigest, person, origin, signedInAt } = newSession(id, by, from, this.#now());
    const nowMs = epochMs(signedInAt);
    this.#change(() => {
      this.#prune();
      this.#database
        .prepare('insert into session values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
        .run(
          key,
          by.operatorId,
          by.source,
          credentialDigest,
          person?.name ?? null,
          person?.role ?? null,
          person?.issuer ?? null,
          person?.subject ?? null,
          origin.browser,
          origin.address,
          origin.isKept ? 1 : 0,
          nowMs,
          nowMs,
        );
    });
    return id;
  }

  async find(id: string): Promise<FoundSession | undefined> {
    const session = await this.peek(id);
    if (!session) return undefined;
    const now = this.#now();
    // A session that began under a clock that was ahead lasts from now on as long as a new one, and no longer.
    const signedInAt = msBetween(now, session.signedInAt) > SEEN_STEP_MS ? now : session.signedInAt;
    if (signedInAt === session.signedInAt && Math.abs(msBetween(session.seenAt, now)) < SEEN_STEP_MS) return session;
    const seen = { ...session, signedInAt, seenAt: now };
    // Memory knows it as well: a disk that cannot be written keeps nobody from reading.
    this.#health.written(HEALTH_NAME, () => this.#touch.run(epochMs(now), epochMs(signedInAt), session.key));
    this.#cached.set(session.key, seen);
    return seen;
  }

  async peek(id: string): Promise<FoundSession | undefined> {
    this.#noticeForeignChanges();
    const key = digest(id);
    const session = this.#cached.get(key) ?? toSession(this.#select.get(key) as Row | undefined);
    if (!session) return undefined;
    if (hasEnded(session, this.#now())) {
      await this.drop(session);
      return undefined;
    }
    this.#cached.set(key, session);
    return { ...session, isConfirmed: true };
  }

  async close(id: string): Promise<void> {
    await this.end({ key: digest(id) });
  }

  async drop({ key, credentialDigest }: Pick<Session, 'key' | 'credentialDigest'>): Promise<void> {
    this.#cached.delete(key);
    const remove = this.#database.prepare('delete from session where key = ? and credential_digest = ?');
    this.#health.written(HEALTH_NAME, () => remove.run(key, credentialDigest));
  }

  async list(operatorId?: string): Promise<readonly Session[]> {
    this.#health.written(HEALTH_NAME, () => this.#prune());
    const rows =
      operatorId === undefined
        ? this.#database.prepare('select * from session order by seen_ms desc, key').all()
        : this.#database.prepare('select * from session where operator = ? order by seen_ms desc, key').all(operatorId);
    const now = this.#now();
    return (rows as unknown as Row[]).map((row) => toSession(row) as Session).filter((each) => !hasEnded(each, now));
  }

  async end({ key, operatorId, except }: WhichSessions): Promise<number> {
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

  async rebind(key: string, credential: string): Promise<void> {
    const rebound = this.#database.prepare('update session set credential_digest = ? where key = ?');
    this.#change(() => rebound.run(digest(credential), key));
    this.#cached.delete(key);
  }

  /** Makes a change that somebody asked for. @throws ApiError where the disk cannot be written */
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

  /** By the session that was used last, or by now if that is earlier: a clock alone deletes none. */
  #prune(): void {
    const { seen } = this.#database.prepare('select max(seen_ms) as seen from session').get() as {
      seen: number | null;
    };
    const nowMs = Math.min(epochMs(this.#now()), seen ?? 0);
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
