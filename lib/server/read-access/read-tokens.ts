import 'server-only';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { LRUCache } from 'lru-cache';
import { ApiError } from '#lib/api/error-code.ts';
import {
  ALTITUDE_FIELDS,
  type MadeReadToken,
  type NewReadToken,
  READ_SCOPES,
  READ_TOKENS_MAX,
  type ReadScope,
  type ReadToken,
} from '#lib/api/outputs/read-token.ts';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners, corners } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import {
  epochMs,
  formatLocalInstant,
  instantOf,
  type LocalInstant,
  localInstant,
  msBetween,
} from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { TokenBucket } from '../live/pace/token-bucket.ts';
import { digest } from '../sign-in/digest.ts';
import type { Part } from '../supervision/supervisor.ts';

/** Programs that look for leaked secrets find tokens by this prefix, and the log masks them by it. */
const PREFIX = 'lookout_';
const SECRET = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{43}$`);
const USE_KEPT_EVERY_MS = MINUTE_MS;
const READS_PER_S = 2;
/** QGIS and ogrinfo open a layer with several requests at once. */
const READS_AT_ONCE = 20;

type Row = Selectable<Tables['read_token']>;

export interface Reader {
  readonly id: string;
  readonly area: Bbox | undefined;
  readonly altitudeAs: ReadToken['altitude_as'];
}

interface ReadTokensOptions {
  readonly database: Database;
  /** The wall clock. */
  readonly now: () => LocalInstant;
  readonly monotonicMs: () => number;
  readonly part: Part;
}

/**
 * Tokens with which programs read without a session: admins make and revoke them, and each read is checked against
 * scope and rate. Only digests of them are stored. Methods reject with a `DatabaseFailure` where the database fails.
 */
export class ReadTokens {
  readonly #options: ReadTokensOptions;
  readonly #rate: ReadRate;

  constructor(options: ReadTokensOptions) {
    this.#options = options;
    this.#rate = new ReadRate(options.monotonicMs);
  }

  async list(): Promise<readonly ReadToken[]> {
    const { query } = this.#options.database;
    const rows = await query.selectFrom('read_token').selectAll().orderBy('made_ms').orderBy('id').execute();
    return rows.map(toToken);
  }

  /** @throws ApiError for a taken name, or one token too many */
  async make({ name, scopes, area, altitude_as, ends_at }: NewReadToken, by: string): Promise<MadeReadToken> {
    const secret = PREFIX + randomBytes(32).toString('base64url');
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

  /** @throws ApiError if it opens nothing, or is used too often */
  async accept(secret: string, scope: ReadScope): Promise<Reader> {
    const { query } = this.#options.database;
    const tokens = query.selectFrom('read_token');
    const row = SECRET.test(secret)
      ? await tokens.selectAll().where('digest', '=', digest(secret)).executeTakeFirst()
      : undefined;
    if (!row) {
      // Without tokens, outputs are off.
      if (!(await tokens.select('id').limit(1).executeTakeFirst()))
        throw new ApiError('not_found', 'There is nothing at this address.');
      throw new ApiError('not_signed_in', 'Send a read token as Authorization: Bearer TOKEN; admins make them.');
    }
    if (row.ends_ms !== null && row.ends_ms <= this.#nowMs())
      throw new ApiError('not_signed_in', 'This read token has ended: an admin can make another.');
    const retryAfterS = this.#rate.take(row.id);
    if (retryAfterS > 0) throw new ApiError('too_many_reads', 'A read token may be used twice a second.', retryAfterS);
    // It never rejects: the supervised part logs a failure, on which no read depends.
    void this.#recordUse(row);
    const { scopes, area, altitude_as } = toToken(row);
    if (!scopes.includes(scope)) throw new ApiError('not_permitted', `This read token does not open ${scope}.`);
    return { id: row.id, area: area === null ? undefined : boxFromCorners(area), altitudeAs: altitude_as };
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

function toToken({ id, name, scopes, area, altitude_as, made_ms, made_by, ends_ms, used_ms }: Row): ReadToken {
  const names = scopes.split(',');
  const parsed = area === null ? undefined : parseBbox(area);
  // A token with an unreadable area opens nothing.
  if (parsed && !parsed.ok) throw new Error(`read token ${id}: ${parsed.message}`);
  return {
    id,
    name,
    made_by,
    scopes: READ_SCOPES.filter((scope) => names.includes(scope)),
    area: parsed ? corners(parsed.bbox) : null,
    altitude_as: ALTITUDE_FIELDS.find((each) => each === altitude_as) ?? null,
    made_at: instantText(made_ms),
    ends_at: ends_ms === null ? null : instantText(ends_ms),
    used_at: used_ms === null ? null : instantText(used_ms),
  };
}

function instantText(ms: number): string {
  return formatLocalInstant(localInstant(ms));
}

/** Limits the reads of each token, at this server. */
class ReadRate {
  readonly #monotonicMs: () => number;
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: 2 * READ_TOKENS_MAX });

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** @returns 0, or after how many seconds to retry */
  take(id: string): number {
    const now = localInstant(this.#monotonicMs());
    const bucket = this.#buckets.get(id) ?? new TokenBucket();
    this.#buckets.set(id, bucket);
    bucket.set(READS_PER_S, READS_AT_ONCE, now);
    const waitMs = msBetween(now, bucket.availableAt(1, now) ?? now);
    if (waitMs > 0) return Math.ceil(waitMs / SECOND_MS);
    bucket.take(1, now);
    return 0;
  }
}
