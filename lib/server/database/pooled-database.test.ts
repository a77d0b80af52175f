import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { isMissing } from '#testing/missing-package.ts';
import { type PoolMode, startPgbouncer } from '#testing/pgbouncer.ts';
import { describePostgres } from '#testing/test-databases.ts';
import { openDatabase } from './open-database.ts';
import type { PostgresTarget } from './postgres-target.ts';

describe.skipIf(isMissing('pgbouncer'))('behind PgBouncer', () => {
  describePostgres('PostgreSQL', (databases) => {
    async function pooled(mode: PoolMode, newTarget = databases.newTarget) {
      const pooler = await startPgbouncer(databases.cluster, mode);
      onTestFinished(pooler.stop);
      const direct = newTarget() as PostgresTarget;
      return { pooler, direct, target: pooler.through(direct) };
    }

    test('in session mode serves two servers, with the session settings of both', async () => {
      const { target } = await pooled('session');
      const [one, other] = [await databases.open(target), await databases.open(target)];
      const received: (string | undefined)[] = [];
      other.listen('zones', (text) => received.push(text), /^changed$/);
      await one.change((query) => one.notify(query, 'zones', 'changed'));
      await eventually(() => expect(received).toContain('changed'));
      for (const database of [one, other]) {
        await eventually(() => expect(database.isCurrent).toBe(true));
        const { rows } = await sql`
          select current_setting('statement_timeout') as timeout, current_setting('synchronous_commit') as commit
        `.execute(database.query);
        expect(rows).toEqual([{ timeout: '5s', commit: 'on' }]);
      }
    });

    test('in another mode is refused with the remedy, and left empty', async () => {
      const isRefused = async (mode: PoolMode) => {
        const { direct, target } = await pooled(mode, databases.newEmptyTarget);
        await expect(openDatabase(target)).rejects.toMatchObject({
          kind: 'denied',
          message: expect.stringMatching(/does not deliver notices .* session mode, or connect to PostgreSQL directly/),
        });
        const tables = "select count(*) from pg_tables where schemaname = 'public'";
        expect(databases.cluster.sql(tables, direct.database)).toBe('0');
      };
      await Promise.all([isRefused('transaction'), isRefused('statement')]);
    });

    test('says what the pooler refuses', async () => {
      const { target } = await pooled('session');
      await expect(openDatabase({ ...target, user: 'stranger' })).rejects.toMatchObject({
        kind: 'denied',
        message: expect.stringMatching(/a pooler that refuses the connection: .*authentication failed/),
      });
    });

    test('whose mode changes while servers run delivers notices no longer, and is not taken for current', async () => {
      const { pooler, target } = await pooled('session');
      const database = await databases.open(target);
      await eventually(() => expect(database.isCurrent).toBe(true));
      pooler.setMode('transaction');
      await eventually(() => expect(database.failure).toMatchObject({ kind: 'denied' }), 40);
      expect(database.isCurrent).toBe(false);
      pooler.setMode('session');
      await eventually(() => expect(database.isCurrent).toBe(true), 40);
    });
  });
});
