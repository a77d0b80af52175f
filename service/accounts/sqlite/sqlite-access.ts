import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Access } from '../access.ts';
import { makeQuota } from '../quota.ts';
import { openAccountsFile } from './accounts-file.ts';
import { KEY_HOLDER_COLUMNS, type KeyHolderRow, keyHolderOf, oncePerMinute } from './key-holder.ts';
import { openSqliteCounters } from './sqlite-counters.ts';

/** A writing command must not delay the answers. */
const BUSY_TIMEOUT_MS = 100;

/** Enough for 100,000 accounts and their keys. */
const CACHE_KIB = 32 * 1024;

export interface SqliteAccess extends Access {
  close(): void;
}

/**
 * Each request reads the file, which takes microseconds.
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
