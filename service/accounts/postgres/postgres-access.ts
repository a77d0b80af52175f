import type { Scope } from '#lib/contract/operation.ts';
import { epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { Refusal } from '../../http/refusal.ts';
import type { Postgres, Query } from '../../postgres/postgres.ts';
import { PostgresFailure } from '../../postgres/postgres-failure.ts';
import type { Access } from '../ports/access.ts';
import { postgresQuota } from './postgres-quota.ts';

type HolderRow = {
  readonly key_id: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
  readonly account_id: number;
  readonly per_minute: number;
  readonly per_day: number;
  readonly grant_state: string;
  readonly grant_scopes: string;
  readonly grant_lookback_days: number;
  readonly grant_until: number | null;
};

export interface PostgresAccess extends Access {
  /** Resolves when the uses of keys that were noted are written. */
  settled(): Promise<void>;
}

/**
 * The accounts of a database, for one of the services that share it. Each request asks the database, so what is changed anywhere counts
 * from the next request on, and there is no answer while the database is lost.
 * @param now for tests, see `postgresQuota`
 */
export function postgresAccess(postgres: Postgres, now?: () => UpstreamInstant): PostgresAccess {
  const query: Query = async (sql, values) => {
    try {
      return await postgres.query(sql, values);
    } catch (failure) {
      // It was said when the database was lost; with each request it would fill the log.
      if (failure instanceof PostgresFailure && failure.isLost) throw unavailable();
      throw failure;
    }
  };
  const notedAt = new Map<string, UpstreamInstant>();
  const writing = new Set<Promise<unknown>>();

  return {
    async findKey(digest) {
      const [row] = await query<HolderRow>(
        `select k.id key_id, k.expires_at, k.revoked_at, a.id account_id, a.per_minute, a.per_day, a.grant_state,
           a.grant_scopes, a.grant_lookback_days, a.grant_until
         from lookout.api_key k join lookout.account a on a.id = k.account where k.digest = $1`,
        [digest],
      );
      if (row === undefined) return undefined;
      return {
        keyId: String(row.key_id),
        key: { expiresAt: upstreamInstant(row.expires_at), revokedAt: instantOrNull(row.revoked_at) },
        account: {
          id: String(row.account_id),
          grant: { active: row.grant_state === 'active', expiresAt: instantOrNull(row.grant_until) },
          scopes: new Set(row.grant_scopes.split(',').filter(Boolean) as Scope[]),
          lookbackDays: row.grant_lookback_days,
          allowance: { perMinute: row.per_minute, perDay: row.per_day },
        },
      };
    },
    noteUse(keyId, at) {
      const noted = notedAt.get(keyId);
      if (noted !== undefined && Math.abs(msBetween(noted, at)) < MINUTE_MS) return;
      notedAt.set(keyId, at);
      const written = postgres
        .query('update lookout.api_key set last_used_at = $2 where id = $1 and coalesce(last_used_at, 0) < $2', [
          keyId,
          epochMs(at),
        ])
        .catch(() => undefined)
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    quota: postgresQuota(query, now),
    async settled() {
      await Promise.all(writing);
    },
  };
}

function unavailable(): Refusal {
  return new Refusal('unavailable', 'Positions are temporarily unavailable: try again later.');
}

function instantOrNull(ms: number | null): UpstreamInstant | null {
  return ms === null ? null : upstreamInstant(ms);
}
