import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { orUnavailable } from '../../postgres/or-unavailable.ts';
import type { Postgres } from '../../postgres/postgres.ts';
import type { Query } from '../../postgres/query.ts';
import { KEY_HOLDER_COLUMNS, type KeyHolderRow, keyHolderOf, oncePerMinute } from '../key-holder.ts';
import type { Access } from '../ports/access.ts';
import { postgresQuota } from './postgres-quota.ts';

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
  const query: Query = (sql, values) => orUnavailable(postgres.query(sql, values));
  const isToBeWritten = oncePerMinute();
  const writing = new Set<Promise<unknown>>();

  return {
    async findKey(digest) {
      const [row] = await query<KeyHolderRow>(
        `select ${KEY_HOLDER_COLUMNS} from lookout.api_key k join lookout.account a on a.id = k.account where k.digest = $1`,
        [digest],
      );
      return row && keyHolderOf(row);
    },
    noteUse(keyId, at) {
      if (!isToBeWritten(keyId, at)) return;
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
