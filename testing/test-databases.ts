import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, inject, onTestFinished } from 'vitest';
import type { Database } from '#lib/server/database/database.ts';
import { migratedFile, writeMigrated } from '#lib/server/database/migrated-file.fixture.ts';
import type { DialectName } from '#lib/server/database/migrations/migration.ts';
import { type DatabaseTarget, type OpenOptions, openDatabase } from '#lib/server/database/open-database.ts';
import { memoryFolder } from './memory-folder.ts';
import { type Cluster, postgresPrograms, type SharedCluster, startCluster } from './postgres-cluster.ts';
import { type SharedPostgres, sharedPostgres } from './shared-postgres.ts';

export interface TestDatabases {
  readonly dialect: DialectName;
  /** With its tables, and no rows. */
  newTarget(): DatabaseTarget;
  /** Without tables. */
  newEmptyTarget(): DatabaseTarget;
  /** Until the test ends; several times for several servers. */
  open(target?: DatabaseTarget, options?: OpenOptions): Promise<Database>;
  /** Of all tests. */
  readonly cluster: SharedCluster;
  /** Until the test ends; the test may stop it. */
  newCluster(): Cluster;
}

export function describeDatabases(name: string, declare: (databases: TestDatabases) => void): void {
  describe(`${name} in SQLite`, () => {
    const folder = memoryFolder('lookout-database-');
    let bytes: Buffer;
    let files = 0;
    beforeAll(async () => {
      bytes = await migratedFile();
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
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
      open: opensUntilEnd(newTarget),
      get cluster() {
        return unavailable();
      },
      newCluster: unavailable,
    });
  });
  describePostgres(`${name} in PostgreSQL`, declare);
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

function opensUntilEnd(newTarget: () => DatabaseTarget): TestDatabases['open'] {
  const opened: Database[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
  });
  return async (target = newTarget(), options = {}) => {
    const database = await openDatabase(target, options);
    opened.push(database);
    return database;
  };
}
