import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import type { Database } from '#lib/server/database/database.ts';
import type { DialectName } from '#lib/server/database/migrations/migration.ts';
import { type DatabaseTarget, type OpenOptions, openDatabase } from '#lib/server/database/open-database.ts';
import { type Cluster, postgresPrograms, startCluster } from './postgres-cluster.ts';

export interface TestDatabases {
  readonly dialect: DialectName;
  newTarget(): DatabaseTarget;
  /** Until the test ends; several times for several servers. */
  open(target?: DatabaseTarget, options?: OpenOptions): Promise<Database>;
  readonly cluster: Cluster;
}

export function describeDatabases(name: string, declare: (databases: TestDatabases) => void): void {
  describe(`${name} in SQLite`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'lookout-database-'));
    let files = 0;
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    declare(databases('sqlite', () => ({ dialect: 'sqlite', file: join(folder, `${++files}.sqlite`) })));
  });
  describePostgres(`${name} in PostgreSQL`, declare);
}

/** Where PostgreSQL is installed. */
export function describePostgres(name: string, declare: (databases: TestDatabases) => void): void {
  const programs = postgresPrograms();
  describe.skipIf(programs === undefined)(name, () => {
    let cluster: Cluster;
    beforeAll(() => {
      cluster = startCluster(programs!);
    });
    afterAll(() => cluster?.remove());
    declare(
      databases(
        'postgres',
        () => cluster.target(),
        () => cluster,
      ),
    );
  });
}

function databases(dialect: DialectName, newTarget: () => DatabaseTarget, cluster?: () => Cluster): TestDatabases {
  const opened: Database[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((database) => database.close()));
  });
  return {
    dialect,
    newTarget,
    async open(target = newTarget(), options = {}) {
      const database = await openDatabase(target, options);
      opened.push(database);
      return database;
    },
    get cluster() {
      return cluster!();
    },
  };
}
