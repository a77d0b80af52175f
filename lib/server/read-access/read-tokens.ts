import 'server-only';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { LRUCache } from 'lru-cache';
import { ApiError } from '#lib/api/error-code.ts';
import {
  ALTITUDE_FIELDS,
  type MadeReadToken,
  type NewReadToken,
  READ_TOKENS_MAX,
  type ReadToken,
} from '#lib/api/outputs/read-token.ts';
import { TOKEN_PERMISSIONS, type TokenPermission } from '#lib/api/people/permission.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners, corners } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import {
  epochMs,
  instantOf,
  isoTime,
  isoTimeOrNull,
  type LocalInstant,
  localInstant,
  msBetween,
} from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { Query, Tables } from '../database/tables.ts';
import { TokenBucket } from '../live/pace/token-bucket.ts';
import { digest } from '../sign-in/digest.ts';
import type { Part } from '../supervision/supervisor.ts';

/** Programs that look for leaked secrets find tokens by this prefix, and the log masks them by it. */
const PREFIX = 'lookout_';
const SECRET = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{43}$`);
const USE_KEPT_EVERY_MS = MINUTE_MS;
/** QGIS and ogrinfo open a layer with several requests at once. */
const AT_ONCE_SHARE = 1 / 6;
/** A known token is as good as a session for the places of the front. */
const KNOWN_MS = 5 * MINUTE_MS;

type Row = Selectable<Tables['read_token']>;

/** The permissions and bounds of an open token. */
export type TokenGrant = Omit<ReadToken, 'area'> & { readonly area: Bbox | undefined };

interface ReadTokensOptions {
  readonly database: Database;
  /** The wall clock. */
  readonly now: () => LocalInstant;
  readonly monotonicMs: () => number;
  readonly part: Part;
}

/**
 * Tokens of programs and walls, which have no session: admins make and revoke them, and each use is checked against
 * permission, end and rate. Only digests of them are stored. Methods reject with a `DatabaseFailure` where the database
 * fails.
 */
export class ReadTokens {
  readonly #options: ReadTokensOptions;
  readonly #rates = new LRUCache<string, TokenBucket>({ max: 2 * READ_TOKENS_MAX });
  readonly #known = new LRUCache<string, string>({ max: 2 * READ_TOKENS_MAX, ttl: KNOWN_MS });

  constructor(options: ReadTokensOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly ReadToken[]> {
    const { query } = this.#options.database;
    const rows = await query.selectFrom('read_token').selectAll().orderBy('made_ms').orderBy('id').execute();
    return rows.map(toToken);
  }

  /** @throws ApiError for a taken name, or one token too many */
  async make(wanted: NewReadToken, by: string): Promise<MadeReadToken> {
    const { name, scopes, area, altitude_as, ends_at } = wanted;
    const secret = newSecret();
    const row: Row = {
      id: randomUUID(),
      digest: digest(secret),
      name,
      scopes: scopes.join(','),
      altitude_as,
      area: area && formatBbox(boxFromCorners(area)),
      made_ms: this.#nowMs(),
      made_by: by,
      used_ms: null,
      ends_ms: ends_at === null ? null : Math.floor(epochMs(instantOf(ends_at))),
      requests_a_minute: wanted.requests_a_minute,
      history_a_day: wanted.history_requests_a_day,
      history_day: '',
      history_spent: 0,
      view_id: wanted.view,
    };
    await this.#options.database.change(async (query) => {
      const names = await query.selectFrom('read_token').select('name').execute();
      if (names.some((other) => other.name === name))
        throw new ApiError('name_taken', `There is a read token named ${JSON.stringify(name)} already.`);
      if (names.length >= READ_TOKENS_MAX)
        throw new ApiError(
          'too_many_read_tokens',
          `Lookout has at most ${READ_TOKENS_MAX} read tokens; revoke one first.`,
        );
      await query.insertInto('read_token').values(row).execute();
    });
    return { token: toToken(row), secret };
  }

  /** @throws ApiError if there is none of that id */
  async revoke(id: string): Promise<ReadToken> {
    const row = await this.#options.database.change((query) =>
      query.deleteFrom('read_token').where('id', '=', id).returningAll().executeTakeFirst(),
    );
    if (!row) throw new ApiError('not_found', 'There is no such read token.');
    return toToken(row);
  }

  /**
   * @param permission of an output, which is off without tokens; on other routes `requirePermission` decides
   * @throws ApiError if it opens nothing, has ended, is used too often, or lacks the permission
   */
  async open(secret: string, permission?: TokenPermission): Promise<TokenGrant> {
    const row = await this.#find(secret);
    if (!row) {
      const tokens = this.#options.database.query.selectFrom('read_token').select('id');
      if (permission && !(await tokens.limit(1).executeTakeFirst()))
        throw new ApiError('not_found', 'There is nothing at this address.');
      throw new ApiError(
        'not_signed_in',
        'This opens nothing: send a token as Authorization: Bearer TOKEN; admins make them.',
      );
    }
    if (this.#hasEnded(row)) throw new ApiError('not_signed_in', 'This token has ended: an admin can make another.');
    const retryAfterS = this.#take(row);
    if (retryAfterS > 0)
      throw new ApiError(
        'too_many_reads',
        `This token may be used ${row.requests_a_minute} times a minute.`,
        retryAfterS,
      );
    const grant = this.#used(row);
    if (permission && !grant.scopes.includes(permission))
      throw new ApiError('not_permitted', `This token lacks the permission ${permission}.`);
    return grant;
  }

  /**
   * Opens a wall: the secret of its address opens nothing afterwards, so that what stays of it in histories and messages is
   * useless.
   * @returns the token, and the secret for the wall's cookie
   * @throws ApiError as `open`, and if another browser came first
   */
  async openWall(secret: string): Promise<{ readonly token: TokenGrant; readonly own: string }> {
    const token = await this.open(secret);
    if (token.view === null) throw new ApiError('not_permitted', 'This token opens no wall.');
    const own = newSecret();
    const { numUpdatedRows } = await this.#options.database.query
      .updateTable('read_token')
      .set({ digest: digest(own) })
      .where('digest', '=', digest(secret))
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 1n) return { token, own };
    throw new ApiError('not_signed_in', 'This address opened a wall already: an admin can make another.');
  }

  /** A wall, while it is open. Its page has no rate. */
  async wall(secret: string): Promise<TokenGrant | undefined> {
    const row = await this.#find(secret);
    if (!row || row.view_id === null || this.#hasEnded(row)) return undefined;
    return this.#used(row);
  }

  /** The sender of requests with this token, if it was open lately. Decides only which requests wait. */
  knownAs(secret: string): string | undefined {
    return this.#known.get(digest(secret));
  }

  /** Whether it is still open. It counts as no use. */
  async isOpen(id: string): Promise<boolean> {
    const { query } = this.#options.database;
    const row = await query.selectFrom('read_token').select('ends_ms').where('id', '=', id).executeTakeFirst();
    return row !== undefined && !this.#hasEnded(row);
  }

  /**
   * Takes requests to the upstream from the price of a day, before any is made: no two loads spend the same.
   * @param day `YYYY-MM-DD`, UTC
   * @returns how many of them it may make
   */
  takeHistory(id: string, wanted: number, day: string): Promise<number> {
    return this.#options.database.change(async (query) => {
      const { left, spent } = await historyOf(query, id, day);
      const taken = Math.min(wanted, left);
      const changed = { history_day: day, history_spent: spent + taken };
      await query.updateTable('read_token').set(changed).where('id', '=', id).execute();
      return taken;
    });
  }

  /** Requests to the upstream that are left of the day's price. */
  async historyLeft(id: string, day: string): Promise<number> {
    return (await historyOf(this.#options.database.query, id, day)).left;
  }

  /** Gives back what a load took and did not request. It never rejects: a loss only makes the day's price smaller. */
  async returnHistory(id: string, unused: number, day: string): Promise<void> {
    const { database, part } = this.#options;
    if (unused <= 0) return;
    await part.run(() =>
      database.query
        .updateTable('read_token')
        .set((each) => ({ history_spent: each('history_spent', '-', unused) }))
        .where('id', '=', id)
        .where('history_day', '=', day)
        .execute(),
    );
  }

  async #find(secret: string): Promise<Row | undefined> {
    if (!SECRET.test(secret)) return undefined;
    const tokens = this.#options.database.query.selectFrom('read_token').selectAll();
    return tokens.where('digest', '=', digest(secret)).executeTakeFirst();
  }

  #used(row: Row): TokenGrant {
    this.#known.set(row.digest, `token:${row.id}`);
    // It never rejects: the supervised part logs a failure, on which no read depends.
    void this.#recordUse(row);
    const token = toToken(row);
    return { ...token, area: token.area ? boxFromCorners(token.area) : undefined };
  }

  /** One use at this server. @returns 0, or after how many seconds to retry */
  #take({ id, requests_a_minute }: Row): number {
    const now = localInstant(this.#options.monotonicMs());
    const bucket = this.#rates.get(id) ?? new TokenBucket();
    this.#rates.set(id, bucket);
    bucket.set(requests_a_minute / 60, Math.max(1, requests_a_minute * AT_ONCE_SHARE), now);
    const waitMs = msBetween(now, bucket.availableAt(1, now) ?? now);
    if (waitMs > 0) return Math.ceil(waitMs / SECOND_MS);
    bucket.take(1, now);
    return 0;
  }

  #hasEnded({ ends_ms }: Pick<Row, 'ends_ms'>): boolean {
    return ends_ms !== null && ends_ms <= this.#nowMs();
  }

  async #recordUse({ id, used_ms }: Row): Promise<void> {
    const nowMs = this.#nowMs();
    const until = nowMs - USE_KEPT_EVERY_MS;
    if (used_ms !== null && used_ms > until && used_ms <= nowMs) return;
    const { database, part } = this.#options;
    await part.run(() =>
      database.query
        .updateTable('read_token')
        .set({ used_ms: nowMs })
        .where('id', '=', id)
        .where((where) => where.or([where('used_ms', 'is', null), where('used_ms', '=', used_ms)]))
        .execute(),
    );
  }

  #nowMs(): number {
    return Math.floor(epochMs(this.#options.now()));
  }
}

function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

async function historyOf(
  query: Query,
  id: string,
  day: string,
): Promise<{ readonly left: number; readonly spent: number }> {
  const tokens = query.selectFrom('read_token').select(['history_a_day', 'history_day', 'history_spent']);
  const row = await tokens.where('id', '=', id).executeTakeFirst();
  const spent = row?.history_day === day ? row.history_spent : 0;
  return { left: Math.max(0, (row?.history_a_day ?? 0) - spent), spent };
}

function toToken({ id, name, scopes, area, altitude_as, made_ms, made_by, ends_ms, used_ms, ...row }: Row): ReadToken {
  const names = scopes.split(',');
  const parsed = area === null ? undefined : parseBbox(area);
  // A token with an unreadable area opens nothing.
  if (parsed && !parsed.ok) throw new Error(`read token ${id}: ${parsed.message}`);
  return {
    id,
    name,
    made_by,
    scopes: TOKEN_PERMISSIONS.filter((scope) => names.includes(scope)),
    area: parsed ? corners(parsed.bbox) : null,
    altitude_as: ALTITUDE_FIELDS.find((each) => each === altitude_as) ?? null,
    requests_a_minute: row.requests_a_minute,
    history_requests_a_day: row.history_a_day,
    view: row.view_id,
    made_at: isoTime(made_ms),
    ends_at: isoTimeOrNull(ends_ms),
    used_at: isoTimeOrNull(used_ms),
  };
}
