import 'server-only';
import { type Selectable, sql } from 'kysely';
import { epochMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables/tables.ts';
import type { Session, WhichSessions } from './session.ts';
import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS, SESSION_KEPT_IDLE_MS, SESSION_OIDC_ABSOLUTE_MS } from './session-end.ts';

type Row = Selectable<Tables['session']>;

/** Notices have the keys of sessions that ended or changed credentials, or none for any number of them. */
export const SESSION_TOPIC = 'session';
const NOTICE_KEYS_MAX = 100;
export const SESSION_KEYS = /^(?:[\w-]{43}(?: [\w-]{43}){0,99})?$/;

/** Every method rejects with a `DatabaseFailure` where the database is at fault. */
export class SessionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async insert(session: Session): Promise<void> {
    await this.#database.query.insertInto('session').values(toRow(session)).execute();
  }

  async find(key: string): Promise<Session | undefined> {
    const row = await this.#database.query.selectFrom('session').selectAll().where('key', '=', key).executeTakeFirst();
    return row && toSession(row);
  }

  async list(operatorId: string | undefined): Promise<readonly Session[]> {
    let query = this.#database.query.selectFrom('session').selectAll();
    if (operatorId !== undefined) query = query.where('operator', '=', operatorId);
    return (await query.orderBy('seen_ms', 'desc').orderBy('key').execute()).map(toSession);
  }

  async end({ key, operatorId, except, credentialDigest }: EndedSessions): Promise<readonly string[]> {
    return this.#database.change(async (query) => {
      let ending = query.deleteFrom('session').returning('key');
      if (key !== undefined) ending = ending.where('key', '=', key);
      if (operatorId !== undefined) ending = ending.where('operator', '=', operatorId);
      if (except !== undefined) ending = ending.where('key', '<>', except);
      if (credentialDigest !== undefined) ending = ending.where('credential_digest', '=', credentialDigest);
      const keys = (await ending.execute()).map((ended) => ended.key);
      if (keys.length > 0)
        await this.#database.tell(query, SESSION_TOPIC, keys.length > NOTICE_KEYS_MAX ? '' : keys.join(' '));
      return keys;
    });
  }

  async rebind(key: string, credentialDigest: string): Promise<void> {
    await this.#database.change(async (query) => {
      await query.updateTable('session').set({ credential_digest: credentialDigest }).where('key', '=', key).execute();
      await this.#database.tell(query, SESSION_TOPIC, key);
    });
  }

  /** A session that has ended stays so. */
  async touch(sessions: readonly Session[]): Promise<void> {
    const used = sessions.map(
      ({ key, seenAt, signedInAt }) =>
        sql`(${key}, cast(${msOf(seenAt)} as bigint), cast(${msOf(signedInAt)} as bigint))`,
    );
    await sql`
      with used (key, seen_ms, signed_in_ms) as (values ${sql.join(used)})
      update session set seen_ms = used.seen_ms, signed_in_ms = used.signed_in_ms from used where session.key = used.key
    `.execute(this.#database.query);
  }

  /** By the last use of any session, or now if earlier: a wrong clock alone deletes none. */
  async prune(now: LocalInstant): Promise<void> {
    const { query } = this.#database;
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
}

export interface EndedSessions extends WhichSessions {
  readonly credentialDigest?: string;
}

function msOf(instant: LocalInstant): number {
  return Math.floor(epochMs(instant));
}

function toRow({ key, operatorId, source, credentialDigest, person, origin, signedInAt, seenAt }: Session): Row {
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

function toSession(row: Row): Session {
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
