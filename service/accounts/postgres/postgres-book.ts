import type { Postgres } from '../../postgres/postgres.ts';
import type { Query } from '../../postgres/query.ts';
import type { AccountBook } from '../ports/account-book.ts';
import { postgresRows } from './postgres-rows.ts';

/** Locks are numbers that all users of a database share: this one begins with "LkAc". */
const CHANGING_LOCK = 0x4c6b_4163_02;

/** The accounts of a database, for administrators. Whoever opened the database closes it. */
export function postgresBook(postgres: Postgres): AccountBook {
  // One transaction at a time: those that wait for the lock would hold all connections.
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<Result>(begin: string, work: (query: Query) => Promise<Result>): Promise<Result> {
    const result = last.then(() => postgres.within(begin, work));
    last = result.catch(() => undefined);
    return result;
  }

  return {
    read: (work) => inTurn('begin isolation level repeatable read, read only', (query) => work(postgresRows(query))),
    change: (work) =>
      inTurn('begin', async (query) => {
        await query('select pg_advisory_xact_lock($1)', [CHANGING_LOCK]);
        return work(postgresRows(query));
      }),
    async close() {
      await last;
    },
  };
}
