import type { Scope } from '#lib/contract/operation.ts';
import { epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Access } from '../ports/access.ts';
import { makeQuota } from '../quota.ts';
import { openAccountsFile } from './accounts-file.ts';
import { openSqliteCounters } from './sqlite-counters.ts';

/** A command that writes at the same time must not hold up the answers. */
const BUSY_TIMEOUT_MS = 100;

/** At most: what 100,000 accounts and their keys take. */
const CACHE_KIB = 32 * 1024;

interface HolderRow {
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
}

export interface SqliteAccess extends Access {
  close(): void;
}

/**
 * The accounts of a data directory, for the one service that runs over it. Each request reads the file, which takes microseconds; so what
 * a command changes counts from the next request on.
 * @throws AccountsFileError
 */
export function openSqliteAccess(
  file: string,
  { now, log, bootId }: { now: () => UpstreamInstant; log: (entry: string) => void; bootId?: string },
): SqliteAccess {
  const database = openAccountsFile(file, { whole: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  database.exec(`pragma cache_size = -${CACHE_KIB}`);
  const counters = openSqliteCounters(database, now(), log, bootId);
  const select = database.prepare(
    `select k.id key_id, k.expires_at, k.revoked_at, a.id account_id, a.per_minute, a.per_day, a.grant_state,
       a.grant_scopes, a.grant_lookback_days, a.grant_until
     from api_key k join account a on a.id = k.account where k.digest = ?`,
  );
  const noteUse = database.prepare(
    'update api_key set last_used_at = :at where id = :id and ifnull(last_used_at, 0) < :at',
  );
  const notedAt = new Map<string, UpstreamInstant>();
  const scopesOf = new Map<string, ReadonlySet<Scope>>();

  function scopes(list: string): ReadonlySet<Scope> {
    const known = scopesOf.get(list) ?? new Set(list.split(',').filter(Boolean) as Scope[]);
    scopesOf.set(list, known);
    return known;
  }

  return {
    findKey(digest) {
      const row = select.get(digest) as HolderRow | undefined;
      if (row === undefined) return undefined;
      return {
        keyId: String(row.key_id),
        key: { expiresAt: upstreamInstant(row.expires_at), revokedAt: instantOrNull(row.revoked_at) },
        account: {
          id: String(row.account_id),
          grant: { active: row.grant_state === 'active', expiresAt: instantOrNull(row.grant_until) },
          scopes: scopes(row.grant_scopes),
          lookbackDays: row.grant_lookback_days,
          allowance: { perMinute: row.per_minute, perDay: row.per_day },
        },
      };
    },
    noteUse(keyId, at) {
      const noted = notedAt.get(keyId);
      if (noted !== undefined && Math.abs(msBetween(noted, at)) < MINUTE_MS) return;
      notedAt.set(keyId, at);
      try {
        noteUse.run({ id: Number(keyId), at: epochMs(at) });
      } catch {
        // A disk that cannot be written is said with the counters.
      }
    },
    quota: makeQuota(now, counters),
    close() {
      counters.close();
      database.close();
    },
  };
}

function instantOrNull(ms: number | null): UpstreamInstant | null {
  return ms === null ? null : upstreamInstant(ms);
}
