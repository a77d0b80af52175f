import { readFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Scope } from '#lib/contract/operation.ts';
import { epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { storageFailure } from '../../data-dir/storage-failure.ts';
import type { AccountAccess, KeyHolder } from '../access.ts';
import { type CounterStore, type Counters, makeQuota } from '../quota.ts';
import { openAccountsFile } from './accounts-file.ts';

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
        // The failure is ignored here, since the counters report an unwritable disk.
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

/** A row of the query above. Instants are ms since 1970. */
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

/** At most so many requests are paid for in advance. */
const BLOCK_MAX = 100;
const BLOCK_OF_DAY = 0.01;
/** Earlier days are kept for a clock that is set back. */
const DAYS_KEPT = 7;

/** Counters in the file, for which `close` gives back what was paid in advance. */
interface SqliteCounters extends CounterStore {
  /** Closes the counters. It never throws. */
  close(): void;
}

/**
 * Each request is written before its answer, so a killed process loses none. An SD card could not fsync each, so blocks
 * are paid for in advance; after a power cut they count as spent.
 *
 * While the disk fails, the service counts in memory, and writes later.
 */
function openSqliteCounters(
  database: DatabaseSync,
  now: UpstreamInstant,
  log: (entry: string) => void,
  bootId: string = readBootId(),
): SqliteCounters {
  chargeLostBlocks(database, now, bootId);
  // Old days are not found by date, since the clock may be wrong for a while.
  const forget = database.prepare(
    `delete from spent where account = :account
       and day <= (select day from spent where account = :account order by day desc limit 1 offset ${DAYS_KEPT})`,
  );

  const select = database.prepare(
    'select in_day, paid_in_day, minute, in_minute from spent where account = ? and day = ?',
  );
  // An account may be removed during a request.
  const upsert = database.prepare(
    `insert into spent (account, day, in_day, paid_in_day, minute, in_minute)
     select :account, :day, :in_day, :paid_in_day, :minute, :in_minute where exists (select 1 from account where id = :account)
     on conflict (account, day) do update set in_day = excluded.in_day, paid_in_day = excluded.paid_in_day,
       minute = excluded.minute, in_minute = excluded.in_minute`,
  );
  const paidOf = new Map<string, { readonly day: number; readonly inDay: number }>();
  const unwritten = new Map<string, { readonly counters: Counters; readonly perDay: number }>();
  let forced: Promise<void> | undefined;
  let isFailing = false;

  function paidInAdvance(accountId: string, { day }: Counters): number {
    const paid = paidOf.get(accountId);
    return paid?.day === day ? paid.inDay : 0;
  }

  function write(accountId: string, counters: Counters, perDay: number): void {
    const { day, spentInDay, minute, spentInMinute } = counters;
    const inAdvance = paidInAdvance(accountId, counters);
    const block = Math.max(1, Math.min(BLOCK_MAX, Math.floor(perDay * BLOCK_OF_DAY)));
    const paidInDay = spentInDay > inAdvance ? spentInDay - 1 + block : inAdvance;
    upsert.run({
      account: Number(accountId),
      day,
      in_day: spentInDay,
      paid_in_day: paidInDay,
      minute,
      in_minute: spentInMinute,
    });
    paidOf.set(accountId, { day, inDay: paidInDay });
  }

  function writeAll(synchronous: 'full' | 'normal'): void {
    if (unwritten.size === 0) return;
    database.exec(`pragma synchronous = ${synchronous}`);
    try {
      database.exec('begin immediate');
      for (const [accountId, { counters, perDay }] of unwritten) {
        const isNewDay = paidOf.get(accountId)?.day !== counters.day;
        write(accountId, counters, perDay);
        if (isNewDay) forget.run({ account: Number(accountId) });
      }
      database.exec('commit');
      unwritten.clear();
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      // The rollback undid the payments.
      paidOf.clear();
      throw error;
    }
  }

  function tryWriteAll(synchronous: 'full' | 'normal'): void {
    try {
      writeAll(synchronous);
      if (isFailing) log('The counters of the accounts are written again.');
      isFailing = false;
    } catch (error) {
      if (storageFailure(error) === undefined) throw error;
      if (!isFailing) log(`The counters of the accounts are in memory only, they cannot be written: ${String(error)}`);
      isFailing = true;
    }
  }

  return {
    load(accountId, day) {
      const row = select.get(Number(accountId), day) as
        | { in_day: number; paid_in_day: number; minute: number; in_minute: number }
        | undefined;
      if (row === undefined) return undefined;
      paidOf.set(accountId, { day, inDay: row.paid_in_day });
      return { day, spentInDay: row.in_day, minute: row.minute, spentInMinute: row.in_minute };
    },
    save(accountId, counters, perDay) {
      unwritten.set(accountId, { counters, perDay });
      if (forced === undefined && counters.spentInDay <= paidInAdvance(accountId, counters)) {
        tryWriteAll('normal');
        return undefined;
      }
      // All requests that arrive meanwhile share one wait.
      forced ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        forced = undefined;
        tryWriteAll('full');
      });
      return forced;
    },
    close() {
      try {
        writeAll('full');
        database.exec('pragma synchronous = full; update spent set paid_in_day = in_day where paid_in_day > in_day');
      } catch (error) {
        log(`The counters of the accounts could not be written: ${String(error)}`);
      }
    },
  };
}

/**
 * After a power cut, requests paid in advance count for the day and the present minute. Without the kernel's boot id,
 * each start counts as a restart.
 */
function chargeLostBlocks(database: DatabaseSync, now: UpstreamInstant, bootId: string): void {
  const before = database.prepare('select boot_id from machine').get() as { boot_id: string } | undefined;
  if (before !== undefined && before.boot_id === bootId && bootId !== '') return;
  database
    .prepare(
      `update spent set in_day = paid_in_day, minute = :minute,
         in_minute = paid_in_day - in_day + case when minute = :minute then in_minute else 0 end
       where paid_in_day > in_day`,
    )
    .run({ minute: Math.floor(epochMs(now) / MINUTE_MS) });
  database.prepare('insert or replace into machine values (1, ?)').run(bootId);
}

/** The boot id of Linux; elsewhere ''. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
