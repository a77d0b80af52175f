import 'server-only';
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { digest } from '../../digest.ts';
import type {
  FoundSession,
  Session,
  SessionOrigin,
  Sessions,
  SignedInBy,
  WhichSessions,
} from '../../ports/sessions.ts';
import { SharedStoreFailure } from '../../ports/shared-store-failure.ts';
import { hasEnded, newSession, newSessionId, SEEN_STEP_MS } from '../../session/session.ts';
import { orRefuse, sharedStoreRefusal } from '../../shared-store-refusal.ts';
import type { RedisConnection } from '../connection/redis-connection.ts';
import { StoredSessions } from './stored-sessions.ts';

export interface RedisSessionsOptions {
  readonly connection: Pick<RedisConnection, 'send' | 'run' | 'state'>;
  readonly now: () => LocalInstant;
  readonly log: Pick<Logger, 'warn'>;
}

/** So often it is asked what was ended elsewhere, however many read: with the time of an answer, less than the second in which it is over. */
const CHECK_EVERY_MS = 500;
/** How long a session is good for reading that nobody can confirm. */
const UNCONFIRMED_MS = MINUTE_MS;
const CACHED_MAX = 20_000;
/** Sessions that are known to have ended, in case the store forgets that it ended them. */
const ENDED_MAX = 10_000;

/**
 * The sessions that several servers share. Each holds those in use in its memory, and asks the store what was ended since it asked last, once for
 * all that read: a message could be missed, and its absence means nothing.
 */
export class RedisSessions implements Sessions {
  readonly #options: RedisSessionsOptions;
  readonly #store: StoredSessions;
  readonly #cached = new LRUCache<string, Session>({ max: CACHED_MAX });
  readonly #ended = new LRUCache<string, true>({ max: ENDED_MAX });
  /** Last uses that are not in the store yet. */
  readonly #used = new Map<string, Session>();
  #usesWrittenAt: LocalInstant | undefined;
  #server = '';
  #run = '';
  #version = 0;
  /** Another one after each change that was learnt: what was read before it may be older. */
  #changes = 0;
  #askedAt: LocalInstant | undefined;
  /** When it was last known of all that are cached that they go on. */
  #confirmedAt: LocalInstant | undefined;
  #isConfirmed = false;
  #checking: Promise<void> | undefined;

  constructor(options: RedisSessionsOptions) {
    this.#options = options;
    this.#store = new StoredSessions(options.connection, (key, setAsideAs) =>
      options.log.warn({ key, set_aside_as: setAsideAs }, 'an unreadable session was set aside'),
    );
  }

  async open(by: SignedInBy, origin: SessionOrigin): Promise<string> {
    const id = newSessionId();
    await orRefuse(this.#store.open(newSession(id, by, origin, this.#options.now()), randomUUID()));
    return id;
  }

  async find(id: string): Promise<FoundSession | undefined> {
    const session = await this.peek(id);
    if (!session) return undefined;
    const { isConfirmed, ...open } = session;
    const now = this.#options.now();
    if (msBetween(open.seenAt, now) < SEEN_STEP_MS) return session;
    const used = { ...open, seenAt: now };
    if (this.#cached.has(open.key)) this.#cached.set(open.key, used);
    this.#used.set(open.key, used);
    if (isConfirmed) await this.#writeUses();
    return { ...used, isConfirmed };
  }

  async peek(id: string): Promise<FoundSession | undefined> {
    const key = digest(id);
    await this.#check();
    if (this.#ended.has(key)) return undefined;
    if (!this.#isConfirmed) return this.#unconfirmed(key);
    const session = await orRefuse(this.#current(key));
    if (!session) return undefined;
    if (!hasEnded(session, this.#options.now())) return { ...session, isConfirmed: true };
    await this.drop(session);
    return undefined;
  }

  async close(id: string): Promise<void> {
    await this.end({ key: digest(id) });
  }

  async drop(session: Pick<Session, 'key' | 'credentialDigest'>): Promise<void> {
    this.#forget(session.key);
    try {
      if (await this.#store.drop(session)) this.#learnEnd(session.key);
    } catch (error) {
      if (!(error instanceof SharedStoreFailure)) throw error;
    }
  }

  async list(operatorId?: string): Promise<readonly Session[]> {
    const now = this.#options.now();
    const sessions = (await orRefuse(this.#store.list(operatorId))).filter((session) => !hasEnded(session, now));
    const open = sessions.filter(({ key }) => !this.#ended.has(key));
    return open.sort((a, b) => msBetween(a.seenAt, b.seenAt) || (a.key < b.key ? -1 : 1));
  }

  async end(which: WhichSessions): Promise<number> {
    return (await orRefuse(this.#end(which))).length;
  }

  async rebind(key: string, credential: string): Promise<void> {
    this.#forget(key);
    await orRefuse(this.#store.rebind(key, digest(credential)));
    this.#forget(key);
  }

  /** @throws SharedStoreFailure where they may go on: here they are over then, until the store says otherwise */
  async #end(which: WhichSessions): Promise<readonly string[]> {
    for (const [key, { operatorId }] of [...this.#cached])
      if ((which.key ?? key) === key && (which.operatorId ?? operatorId) === operatorId && which.except !== key)
        this.#forget(key);
    const keys = await this.#store.end(which);
    for (const key of keys) this.#learnEnd(key);
    return keys;
  }

  #unconfirmed(key: string): FoundSession {
    const { now } = this.#options;
    const session = this.#cached.get(key);
    const ageMs = this.#confirmedAt === undefined ? Number.NaN : msBetween(this.#confirmedAt, now());
    if (!session || !(ageMs >= 0 && ageMs < UNCONFIRMED_MS) || hasEnded(session, now())) throw sharedStoreRefusal();
    return { ...session, isConfirmed: false };
  }

  /** @throws SharedStoreFailure */
  async #current(key: string): Promise<Session | undefined> {
    const cached = this.#cached.get(key);
    // One that was not used here may have been used elsewhere.
    if (cached && !hasEnded(cached, this.#options.now())) return cached;
    const changes = this.#changes;
    const session = await this.#store.read(key);
    if (session && changes === this.#changes) this.#cached.set(key, session);
    return session;
  }

  /** Asks what has changed, unless that was asked a moment ago. */
  async #check(): Promise<void> {
    const now = this.#options.now();
    if (this.#checking === undefined) {
      const isRecent = this.#askedAt !== undefined && Math.abs(msBetween(this.#askedAt, now)) < CHECK_EVERY_MS;
      if (isRecent && this.#isConfirmed && this.#server === this.#serverNow) return;
      this.#askedAt = now;
      this.#checking = this.#learnChanges(now).finally(() => {
        this.#checking = undefined;
      });
    }
    await this.#checking;
  }

  async #learnChanges(now: LocalInstant): Promise<void> {
    try {
      const server = this.#serverNow;
      // Another run of the server may be a copy that lacks the last moments.
      if (server !== this.#server) await this.#store.endAgain([...this.#ended.keys()]);
      const { run, version, isAll, ended, rebound } = await this.#store.changes(this.#run, this.#version);
      if (isAll || server !== this.#server) {
        this.#cached.clear();
        this.#changes++;
      }
      for (const key of ended) this.#learnEnd(key);
      for (const key of rebound) this.#forget(key);
      [this.#run, this.#version, this.#server] = [run, version, server];
      [this.#confirmedAt, this.#isConfirmed] = [now, true];
    } catch (error) {
      if (!(error instanceof SharedStoreFailure)) throw error;
      this.#isConfirmed = false;
    }
  }

  get #serverNow(): string {
    const { state } = this.#options.connection;
    return state.kind === 'reachable' ? state.server : '';
  }

  #learnEnd(key: string): void {
    this.#ended.set(key, true);
    this.#forget(key);
  }

  #forget(key: string): void {
    this.#cached.delete(key);
    this.#used.delete(key);
    this.#changes++;
  }

  /** Those of all at once, and not more often than it is asked what has changed. */
  async #writeUses(): Promise<void> {
    const now = this.#options.now();
    if (this.#usesWrittenAt !== undefined && Math.abs(msBetween(this.#usesWrittenAt, now)) < CHECK_EVERY_MS) return;
    this.#usesWrittenAt = now;
    const used = [...this.#used.values()];
    this.#used.clear();
    try {
      await this.#store.touch(used);
    } catch (error) {
      if (!(error instanceof SharedStoreFailure)) throw error;
    }
  }
}
