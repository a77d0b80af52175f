import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Database } from '#lib/server/database/database.ts';
import { migratedFile, writeMigrated } from '#lib/server/database/migrated-file.fixture.ts';
import type { DialectName } from '#lib/server/database/migrations/migration.ts';
import { type DatabaseTarget, type OpenOptions, openDatabase } from '#lib/server/database/open-database.ts';
import { isLong } from './budget.ts';
import { memoryFolder } from './memory-folder.ts';
import { type Cluster, postgresPrograms, type SharedCluster, startCluster } from './postgres-cluster.ts';
import { PostgresStatements } from './postgres-statements.ts';
import { type SharedPostgres, sharedPostgres } from './shared-postgres.ts';

export interface TestDatabases {
  readonly dialect: DialectName;
  /** With its tables, and no rows. */
  newTarget(): DatabaseTarget;
  /** Without tables. */
  newEmptyTarget(): DatabaseTarget;
  /** Until the test ends; several times for several servers. */
  open(target?: DatabaseTarget, options?: OpenOptions): Promise<Database>;
  /** For what does not depend on the database: in SQLite, and in PostgreSQL in a long run. */
  readonly testOnce: typeof test;
  /** Of all tests. */
  readonly cluster: SharedCluster;
  /** Until the test ends; the test may stop it. */
  newCluster(): Cluster;
}

/**
 * Tests in both databases. PostgreSQL executes each statement of `testOnce`, too, but its rows and its concurrency are
 * not tested.
 */
export function describeDatabases(name: string, declare: (databases: TestDatabases) => void): void {
  describeSqlite(`${name} in SQLite`, declare);
  describePostgres(`${name} in PostgreSQL`, declare);
}

/** As if each test were `testOnce`. */
export function describeOneDatabase(name: string, declare: (databases: TestDatabases) => void): void {
  describeSqlite(`${name} in SQLite`, declare);
  if (isLong) describePostgres(`${name} in PostgreSQL`, declare);
}

function describeSqlite(name: string, declare: (databases: TestDatabases) => void): void {
  describe(name, () => {
    const folder = memoryFolder('lookout-database-');
    const statements = new PostgresStatements();
    let bytes: Buffer;
    let files = 0;
    beforeAll(async () => {
      bytes = await migratedFile();
    });
    const programs = isLong ? undefined : postgresPrograms();
    afterAll(async () => {
      rmSync(folder, { recursive: true, force: true });
      if (programs === undefined) return;
      const postgres = await sharedPostgres(programs, inject('sharedPostgres'));
      expect(await statements.refused(postgres.migratedTarget()), 'statements that PostgreSQL refuses').toEqual([]);
    });
    const newFile = () => join(folder, `${++files}.sqlite`);
    const unavailable = () => {
      throw new Error('SQLite has no cluster');
    };
    const newTarget = (): DatabaseTarget => {
      const file = newFile();
      writeMigrated(file, bytes);
      return { dialect: 'sqlite', file };
    };
    declare({
      dialect: 'sqlite',
      newTarget,
      newEmptyTarget: () => ({ dialect: 'sqlite', file: newFile() }),
      open: opensUntilEnd(newTarget, (database) => statements.record(database)),
      testOnce: test,
      get cluster() {
        return unavailable();
      },
      newCluster: unavailable,
    });
  });
}

/** Where PostgreSQL is installed. */
export function describePostgres(name: string, declare: (databases: TestDatabases) => void): void {
  const programs = postgresPrograms();
  describe.skipIf(programs === undefined)(name, () => {
    let shared: SharedPostgres;
    beforeAll(async () => {
      shared = await sharedPostgres(programs!, inject('sharedPostgres'));
    });
    const newTarget = () => shared.migratedTarget();
    declare({
      dialect: 'postgres',
      newTarget,
      newEmptyTarget: () => shared.target(),
      open: opensUntilEnd(newTarget),
      testOnce: isLong ? test : (test.skip as typeof test),
      get cluster() {
        return shared;
      },
      newCluster() {
        const cluster = startCluster(programs!);
        onTestFinished(() => cluster.remove());
        return cluster;
      },
    });
  });
}

function opensUntilEnd(
  newTarget: () => DatabaseTarget,
  record: (database: Database) => void = () => undefined,
): TestDatabases['open'] {
  const opened: Database[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
  });
  return async (target = newTarget(), options = {}) => {
    const database = await openDatabase(target, options);
    opened.push(database);
    record(database);
    return database;
  };
}
