// Sessions of operators: a sign-in opens one, each request finds it, and a sign-out, an admin, a new password or time ends
// it, at all servers. The table has digests of session ids: reading it opens no session.
import 'server-only';
import { randomBytes } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { addMs, epochMs, type LocalInstant, localInstant, msBetween } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import { DatabaseFailure, lostRefusal } from '../database/database-failure.ts';
import type { Query, Tables } from '../database/tables.ts';
import type { Part } from '../supervision/supervisor.ts';
import { digest } from './digest.ts';
import {
  type FoundSession,
  hasEnded,
  newSession,
  newSessionId,
  SESSION_ABSOLUTE_MS,
  SESSION_IDLE_MS,
  SESSION_KEPT_IDLE_MS,
  SESSION_OIDC_ABSOLUTE_MS,
  type Session,
  type SessionOrigin,
  type SignedInBy,
} from './session.ts';

const CACHED_MAX = 20_000;
/** A write for every poll would be too often. */
const SEEN_STEP_MS = MINUTE_MS;
const USES_WRITTEN_EVERY_MS = SECOND_MS;
const PRUNED_EVERY_MS = HOUR_MS;
/** For so long a session opens pages for reading while the database is lost. */
const UNCONFIRMED_MS = MINUTE_MS;

/** Notices have the keys of sessions that ended or changed credentials, or none for any number of them. */
const TOPIC = 'session';
const NOTICE_KEYS_MAX = 100;
const NOTICE_KEYS = /^(?:[\w-]{43}(?: [\w-]{43}){0,99})?$/;

/** A session matches where all given fields do. */
interface WhichSessions {
  readonly key?: string;
  readonly operatorId?: string;
  readonly except?: string;
  readonly credentialDigest?: string;
}

/**
 * A session that ends elsewhere is over within a second, in SQLite at once. Every method rejects with a
 * `DatabaseFailure` while the database fails; `find` and `peek` refuse by `database_lost` where it is lost.
 */
export class Sessions {
  readonly #database: Database;
  readonly #now: () => LocalInstant;
  readonly #part: Part;
  readonly #cached = new LRUCache<string, Session>({ max: CACHED_MAX });
  readonly #used = new Map<string, Session>();
  readonly #endListening: () => void;
  /** Counts notices and changes: an older row must not enter the cache. */
  #changes = 0;
  #confirmedAt: LocalInstant | undefined;
  #prunedAt: LocalInstant | undefined;
  #writesUses: NodeJS.Timeout | undefined;

  constructor(database: Database, now: () => LocalInstant, part: Part) {
    this.#database = database;
    this.#part = part;
    this.#now = now;
    this.#endListening = database.listen(
      TOPIC,
      (text) => {
        this.#changes++;
        if (!text) this.#cached.clear();
        else for (const key of text.split(' ')) this.#cached.delete(key);
      },
      NOTICE_KEYS,
    );
  }

  /** @returns the session's id, for the browser alone */
  async open(by: SignedInBy, origin: SessionOrigin): Promise<string> {
    const id = newSessionId();
    // Sessions are pruned before the new one is written, whose clock may be ahead.
    await this.#prune();
    const row = toRow(newSession(id, by, origin, this.#now()));
    await this.#database.query.insertInto('session').values(row).execute();
    return id;
  }

  /** Finds a session. It counts as a request, which postpones the idle end. */
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
    // It never rejects: the supervised part logs a failure, and the next use writes again.
    this.#writesUses ??= setTimeout(() => void this.#writeUses(), USES_WRITTEN_EVERY_MS).unref();
    return { ...used, isConfirmed };
  }

  /** Finds a session, which does not count as a request. */
  async peek(id: string): Promise<FoundSession | undefined> {
    const key = digest(id);
    if (this.#database.failure?.kind === 'lost') return this.#unconfirmed(key);
    let session: Session | undefined;
    try {
      session = await this.#current(key);
    } catch (error) {
      if (error instanceof DatabaseFailure && error.kind === 'lost') return this.#unconfirmed(key);
      throw error;
    }
    if (!session) return undefined;
    if (!hasEnded(session, this.#now())) return { ...session, isConfirmed: true };
    await this.drop(session);
    return undefined;
  }

  /** @param next the session that the same browser has begun: its person keeps the subscriptions to push */
  async close(id: string, next?: string): Promise<void> {
    const key = digest(id);
    if (next !== undefined) await bindSubscriptions(this.#database.query, digest(next), ['session_key', key]);
    await this.end({ key });
  }

  /** Drops a session, unless it has a new credential. Ignores failed writes. */
  async drop({ key, credentialDigest }: Pick<Session, 'key' | 'credentialDigest'>): Promise<void> {
    this.#forget(key);
    try {
      await this.#delete({ key, credentialDigest });
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }

  /** The open sessions of one operator, or all; the ones last used first. */
  async list(operatorId?: string): Promise<readonly Session[]> {
    await this.#writeUses();
    const now = this.#now();
    let query = this.#database.query.selectFrom('session').selectAll();
    if (operatorId !== undefined) query = query.where('operator', '=', operatorId);
    const rows = await query.orderBy('seen_ms', 'desc').orderBy('key').execute();
    return rows.map(toSession).filter((session) => !hasEnded(session, now));
  }

  /** Also ends the subscriptions to push that these sessions made or used last, at the next pass of the delivery. */
  async end(which: Omit<WhichSessions, 'credentialDigest'>): Promise<number> {
    for (const [key, { operatorId }] of [...this.#cached])
      if ((which.key ?? key) === key && (which.operatorId ?? operatorId) === operatorId && which.except !== key)
        this.#forget(key);
    const keys = await this.#delete(which);
    for (const key of keys) this.#forget(key);
    return keys.length;
  }

  async rebind(key: string, credential: string): Promise<void> {
    this.#forget(key);
    await this.#database.change(async (query) => {
      const bound = { credential_digest: digest(credential) };
      await query.updateTable('session').set(bound).where('key', '=', key).execute();
      await query.updateTable('push_subscription').set(bound).where('session_key', '=', key).execute();
      await this.#database.notify(query, TOPIC, key);
    });
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
    const row = await this.#database.query.selectFrom('session').selectAll().where('key', '=', key).executeTakeFirst();
    const session = row && toSession(row);
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

  /** @returns the keys of the deleted sessions */
  #delete({ key, operatorId, except, credentialDigest }: WhichSessions): Promise<readonly string[]> {
    return this.#database.change(async (query) => {
      // A session that is dropped with its credential has ended by itself, which revokes no push.
      if (credentialDigest === undefined) {
        // Also of sessions that have ended by time.
        let revoking = query.updateTable('push_subscription').set({ credential_digest: '' });
        if (key !== undefined) revoking = revoking.where('session_key', '=', key);
        if (operatorId !== undefined) revoking = revoking.where('owner', '=', operatorId);
        if (except !== undefined) revoking = revoking.where('session_key', '<>', except);
        await revoking.execute();
      }
      let ending = query.deleteFrom('session').returning('key');
      if (key !== undefined) ending = ending.where('key', '=', key);
      if (operatorId !== undefined) ending = ending.where('operator', '=', operatorId);
      if (except !== undefined) ending = ending.where('key', '<>', except);
      if (credentialDigest !== undefined) ending = ending.where('credential_digest', '=', credentialDigest);
      const keys = (await ending.execute()).map((ended) => ended.key);
      if (keys.length > 0)
        await this.#database.notify(query, TOPIC, keys.length > NOTICE_KEYS_MAX ? '' : keys.join(' '));
      return keys;
    });
  }

  async #writeUses(): Promise<void> {
    clearTimeout(this.#writesUses);
    this.#writesUses = undefined;
    const used = [...this.#used.values()];
    this.#used.clear();
    if (used.length === 0 || (await this.#part.run(() => touch(this.#database, used)))) return;
    // The next use writes them again.
    for (const session of used) if (!this.#used.has(session.key)) this.#used.set(session.key, session);
  }

  async #prune(): Promise<void> {
    const now = this.#now();
    if (this.#prunedAt !== undefined && Math.abs(msBetween(this.#prunedAt, now)) < PRUNED_EVERY_MS) return;
    this.#prunedAt = now;
    await this.#part.run(() => prune(this.#database, now));
  }
}

/** A session that has ended stays so. */
async function touch({ query }: Database, sessions: readonly Session[]): Promise<void> {
  const used = sessions.map(
    ({ key, seenAt, signedInAt }) =>
      sql`(${key}, cast(${msOf(seenAt)} as bigint), cast(${msOf(signedInAt)} as bigint))`,
  );
  await sql`
    with used (key, seen_ms, signed_in_ms) as (values ${sql.join(used)})
    update session set seen_ms = used.seen_ms, signed_in_ms = used.signed_in_ms from used where session.key = used.key
  `.execute(query);
}

/** Deletes ended sessions by the last use of any session, or now if earlier: a wrong clock alone deletes none. */
async function prune({ query }: Database, now: LocalInstant): Promise<void> {
  const { seen } = await query
    .selectFrom('session')
    .select(({ fn }) => fn.max<number | null>('seen_ms').as('seen'))
    .executeTakeFirstOrThrow();
  const nowMs = Math.min(msOf(now), seen ?? 0);
  await query
    .deleteFrom('session')
    .where((where) =>
      where.or([
        where('signed_in_ms', '<=', nowMs - SESSION_ABSOLUTE_MS),
        where.and([where('source', '=', 'oidc'), where('signed_in_ms', '<=', nowMs - SESSION_OIDC_ABSOLUTE_MS)]),
        where('seen_ms', '<=', nowMs - SESSION_KEPT_IDLE_MS),
        where.and([where('kept', '=', 0), where('seen_ms', '<=', nowMs - SESSION_IDLE_MS)]),
      ]),
    )
    .execute();
}

/**
 * Binds subscriptions of the session's own operator to that session. @returns their ids
 * @param which the column and its value
 */
export async function bindSubscriptions(
  query: Query,
  sessionKey: string,
  [column, value]: readonly ['session_key' | 'endpoint', string],
): Promise<readonly string[]> {
  const session = await query.selectFrom('session').selectAll().where('key', '=', sessionKey).executeTakeFirst();
  if (!session) return [];
  const bound = await query
    .updateTable('push_subscription')
    .set(pushBearer(session))
    .where(column, '=', value)
    .where('owner', '=', session.operator)
    .where('credential_digest', '<>', '')
    .returning('id')
    .execute();
  return bound.map(({ id }) => id);
}

/** The columns of a subscription that are those of its session. */
export function pushBearer({ key, source, credential_digest, person, signed_in_ms }: SessionColumns) {
  const ends_ms = source === 'oidc' ? signed_in_ms + SESSION_OIDC_ABSOLUTE_MS : null;
  return { session_key: key, source, credential_digest, person, ends_ms };
}

type SessionColumns = Selectable<Tables['session']>;

function toRow(session: Session): SessionColumns {
  const { key, operatorId, source, credentialDigest, person, origin, signedInAt, seenAt } = session;
  return {
    key,
    operator: operatorId,
    source,
    credential_digest: credentialDigest,
    person: person && JSON.stringify(person),
    browser: origin.browser,
    address: origin.address,
    kept: origin.isKept ? 1 : 0,
    signed_in_ms: msOf(signedInAt),
    seen_ms: msOf(seenAt),
  };
}

function toSession(row: SessionColumns): Session {
  return {
    key: row.key,
    operatorId: row.operator,
    source: row.source,
    credentialDigest: row.credential_digest,
    person: row.person === null ? null : (JSON.parse(row.person) as Session['person']),
    origin: { browser: row.browser, address: row.address, isKept: row.kept === 1 },
    signedInAt: localInstant(row.signed_in_ms),
    seenAt: localInstant(row.seen_ms),
  };
}

function msOf(instant: LocalInstant): number {
  return Math.floor(epochMs(instant));
}

const SECRET_BYTES = 32;
const SESSION_SECRET = 'session';

/** The secret that seals the cookies of sessions, the same at all servers. Rejects with a `DatabaseFailure`. */
export function sessionSecret(database: Database): Promise<string> {
  return storedSecret(database, SESSION_SECRET, () => randomBytes(SECRET_BYTES).toString('base64url'));
}

/** A secret that is made once, with its first use, and is the same at all servers. Rejects with a `DatabaseFailure`. */
export async function storedSecret({ query }: Database, name: string, make: () => string): Promise<string> {
  // It reads first, since a full disk refuses a write.
  const known = await readSecret(query, name);
  if (known !== undefined) return known;
  const value = make();
  await query
    .insertInto('secret')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await readSecret(query, name)) ?? value;
}

/** `undefined` before the first start. */
export function storedSessionSecret(query: Query): Promise<string | undefined> {
  return readSecret(query, SESSION_SECRET);
}

async function readSecret(query: Query, name: string): Promise<string | undefined> {
  const row = await query.selectFrom('secret').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}
