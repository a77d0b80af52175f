import 'server-only';
import { LRUCache } from 'lru-cache';
import { addMs, type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import { DatabaseFailure, databaseRefusal, lostRefusal, orRefuse } from '../database/database-failure.ts';
import type { Part } from '../supervision/supervisor.ts';
import { digest } from './digest.ts';
import {
  type FoundSession,
  newSession,
  newSessionId,
  SEEN_STEP_MS,
  type Session,
  type SessionOrigin,
  type SignedInBy,
  type WhichSessions,
} from './session.ts';
import { hasEnded } from './session-end.ts';
import { SESSION_KEYS, SESSION_TOPIC, SessionStore } from './session-store.ts';

const CACHED_MAX = 20_000;
const USES_WRITTEN_EVERY_MS = SECOND_MS;
const PRUNED_EVERY_MS = HOUR_MS;
/** For reading, while the database is lost. */
const UNCONFIRMED_MS = MINUTE_MS;

/**
 * Keyed by the digest of their id, which only the cookie has. A session that ends elsewhere is over within a second, in
 * SQLite at once. Every method throws `ApiError` while the database fails.
 */
export class Sessions {
  readonly #database: Database;
  readonly #store: SessionStore;
  readonly #now: () => LocalInstant;
  readonly #cached = new LRUCache<string, Session>({ max: CACHED_MAX });
  readonly #used = new Map<string, Session>();
  readonly #endListening: () => void;
  /** Counts notices and changes: an older row must not enter the cache. */
  #changes = 0;
  #confirmedAt: LocalInstant | undefined;
  #prunedAt: LocalInstant | undefined;
  #writesUses: NodeJS.Timeout | undefined;
  readonly #part: Part;

  constructor(database: Database, now: () => LocalInstant, part: Part) {
    this.#database = database;
    this.#part = part;
    this.#store = new SessionStore(database);
    this.#now = now;
    this.#endListening = database.listen(
      SESSION_TOPIC,
      (text) => {
        this.#changes++;
        if (!text) this.#cached.clear();
        else for (const key of text.split(' ')) this.#cached.delete(key);
      },
      SESSION_KEYS,
    );
  }

  /** @returns the session's id, for the browser alone */
  async open(by: SignedInBy, origin: SessionOrigin): Promise<string> {
    const id = newSessionId();
    // Before the new session, whose clock may be ahead.
    await this.#prune();
    await orRefuse(this.#store.insert(newSession(id, by, origin, this.#now())));
    return id;
  }

  /** Counts as a request, which postpones the idle end. */
  async find(id: string): Promise<FoundSession | undefined> {
    const found = await this.peek(id);
    if (!found) return undefined;
    const { isConfirmed, ...session } = found;
    const now = this.#now();
    // A session from a clock that was ahead lasts no longer than a new one.
    const signedInAt = msBetween(now, session.signedInAt) > SEEN_STEP_MS ? now : session.signedInAt;
    if (signedInAt === session.signedInAt && Math.abs(msBetween(session.seenAt, now)) < SEEN_STEP_MS) return found;
    const used = { ...session, signedInAt, seenAt: now };
    if (this.#cached.has(used.key)) this.#cached.set(used.key, used);
    this.#used.set(used.key, used);
    this.#writesUses ??= setTimeout(() => void this.#writeUses(), USES_WRITTEN_EVERY_MS).unref();
    return { ...used, isConfirmed };
  }

  /** Does not count as a request. */
  async peek(id: string): Promise<FoundSession | undefined> {
    const key = digest(id);
    if (this.#database.failure?.kind === 'lost') return this.#unconfirmed(key);
    let session: Session | undefined;
    try {
      session = await this.#current(key);
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      if (error.kind === 'lost') return this.#unconfirmed(key);
      throw databaseRefusal(error);
    }
    if (!session) return undefined;
    if (!hasEnded(session, this.#now())) return { ...session, isConfirmed: true };
    await this.drop(session);
    return undefined;
  }

  async close(id: string): Promise<void> {
    await this.end({ key: digest(id) });
  }

  /** Keeps a session that has a new credential. Ignores failed writes. */
  async drop({ key, credentialDigest }: Pick<Session, 'key' | 'credentialDigest'>): Promise<void> {
    this.#forget(key);
    await this.#store.end({ key, credentialDigest }).catch(unlessDatabaseFailed);
  }

  /** Of one operator, or all; the ones last used first. */
  async list(operatorId?: string): Promise<readonly Session[]> {
    await this.#writeUses();
    const now = this.#now();
    const sessions = await orRefuse(this.#store.list(operatorId));
    return sessions.filter((session) => !hasEnded(session, now));
  }

  async end(which: WhichSessions): Promise<number> {
    for (const [key, { operatorId }] of [...this.#cached])
      if ((which.key ?? key) === key && (which.operatorId ?? operatorId) === operatorId && which.except !== key)
        this.#forget(key);
    const keys = await orRefuse(this.#store.end(which));
    for (const key of keys) this.#forget(key);
    return keys.length;
  }

  async rebind(key: string, credential: string): Promise<void> {
    this.#forget(key);
    await orRefuse(this.#store.rebind(key, digest(credential)));
    this.#forget(key);
  }

  async shutDown(): Promise<void> {
    this.#endListening();
    await this.#writeUses();
  }

  async #current(key: string): Promise<Session | undefined> {
    const { isCurrent } = this.#database;
    const cached = isCurrent ? this.#cached.get(key) : undefined;
    if (isCurrent) this.#confirmedAt = this.#now();
    if (cached && !hasEnded(cached, this.#now())) return cached;
    if (cached) await this.#writeUses();
    const changes = this.#changes;
    const session = await this.#store.find(key);
    if (session && changes === this.#changes) this.#cached.set(key, session);
    return session;
  }

  #unconfirmed(key: string): FoundSession {
    const session = this.#cached.get(key);
    const now = this.#now();
    const isRecent = this.#confirmedAt !== undefined && now < addMs(this.#confirmedAt, UNCONFIRMED_MS);
    if (session && isRecent && !hasEnded(session, now)) return { ...session, isConfirmed: false };
    throw lostRefusal();
  }

  #forget(key: string): void {
    this.#cached.delete(key);
    this.#used.delete(key);
    this.#changes++;
  }

  async #writeUses(): Promise<void> {
    clearTimeout(this.#writesUses);
    this.#writesUses = undefined;
    const used = [...this.#used.values()];
    this.#used.clear();
    if (used.length === 0 || (await this.#part.run(() => this.#store.touch(used)))) return;
    // The next use writes them again.
    for (const session of used) if (!this.#used.has(session.key)) this.#used.set(session.key, session);
  }

  async #prune(): Promise<void> {
    const now = this.#now();
    if (this.#prunedAt !== undefined && Math.abs(msBetween(this.#prunedAt, now)) < PRUNED_EVERY_MS) return;
    this.#prunedAt = now;
    await this.#part.run(() => this.#store.prune(now));
  }
}

function unlessDatabaseFailed(error: unknown): void {
  if (!(error instanceof DatabaseFailure)) throw error;
}
