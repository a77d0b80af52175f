import type { Scope } from '#lib/contract/operation.ts';
import { epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { AccountAccess, KeyHolder } from '../access.ts';
import { makeQuota } from '../quota.ts';
import { openAccountsFile } from './accounts-file.ts';
import { openSqliteCounters } from './sqlite-counters.ts';

/** Answers wait at most this long for a command that writes. */
const BUSY_TIMEOUT_MS = 100;

/** It holds 100,000 accounts and their keys. */
const CACHE_KIB = 32 * 1024;

export interface SqliteAccess extends AccountAccess {
  close(): void;
}

/**
 * The accounts of a file, as the running service serves them. Each request reads the file, which takes microseconds, so
 * a command's change applies at once. It writes counters and the last use of keys, and nothing else.
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
    `select ${KEY_HOLDER_COLUMNS} from api_key k join account a on a.id = k.account where k.digest = ?`,
  );
  const noteUse = database.prepare(
    'update api_key set last_used_at = :at where id = :id and ifnull(last_used_at, 0) < :at',
  );
  const isToBeWritten = oncePerMinute();

  return {
    findKey(digest) {
      const row = select.get(digest) as KeyHolderRow | undefined;
      return row && keyHolderOf(row);
    },
    noteUse(keyId, at) {
      if (!isToBeWritten(keyId, at)) return;
      try {
        noteUse.run({ id: Number(keyId), at: epochMs(at) });
      } catch {
        // The counters report an unwritable disk.
      }
    },
    quota: makeQuota(now, counters),
    close() {
      counters.close();
      database.close();
    },
  };
}

/** `k` is the key, `a` its account. */
const KEY_HOLDER_COLUMNS =
  'k.id key_id, k.expires_at, k.revoked_at, a.id account_id, a.per_minute, a.per_day, a.grant_state, a.grant_scopes, a.grant_lookback_days, a.grant_until';

/** Instants are ms since 1970. */
type KeyHolderRow = {
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

function keyHolderOf(row: KeyHolderRow): KeyHolder {
  return {
    keyId: String(row.key_id),
    key: { expiresAt: upstreamInstant(row.expires_at), revokedAt: instantOrNull(row.revoked_at) },
    account: {
      id: String(row.account_id),
      grant: { active: row.grant_state === 'active', expiresAt: instantOrNull(row.grant_until) },
      scopes: scopesOf(row.grant_scopes),
      lookbackDays: row.grant_lookback_days,
      allowance: { perMinute: row.per_minute, perDay: row.per_day },
    },
  };
}

/** Accounts share few lists, and each request reads one. */
const knownScopes = new Map<string, ReadonlySet<Scope>>();

function scopesOf(list: string): ReadonlySet<Scope> {
  const known = knownScopes.get(list) ?? new Set(list.split(',').filter(Boolean) as Scope[]);
  knownScopes.set(list, known);
  return known;
}

function instantOrNull(ms: number | null): UpstreamInstant | null {
  return ms === null ? null : upstreamInstant(ms);
}

function oncePerMinute(): (keyId: string, at: UpstreamInstant) => boolean {
  const notedAt = new Map<string, UpstreamInstant>();
  return (keyId, at) => {
    const noted = notedAt.get(keyId);
    if (noted !== undefined && Math.abs(msBetween(noted, at)) < MINUTE_MS) return false;
    notedAt.set(keyId, at);
    return true;
  };
}
