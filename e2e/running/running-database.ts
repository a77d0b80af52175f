import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { postgresPrograms, startCluster } from '#testing/postgres-cluster.ts';

/** Its address can move to the standby. */
export interface RunningDatabase {
  readonly url: string;
  /** On an own connection. @throws Error while PostgreSQL is lost */
  rows<Row extends object>(statement: string): Promise<readonly Row[]>;
  stop(): void;
  start(): void;
  /** Crashes the primary, promotes its standby, and moves the address. */
  failOver(): void;
  remove(): void;
}

/** @throws Error without PostgreSQL */
export function startDatabase({ hasStandby = false, countsStatements = false } = {}): RunningDatabase {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('PostgreSQL 15 is not installed: apt-get install postgresql');
  const primary = startCluster(programs);
  if (countsStatements) {
    primary.sql("alter system set shared_preload_libraries = 'pg_stat_statements'");
    primary.stop();
    primary.start();
  }
  const { database } = primary.target();
  if (countsStatements) primary.sql('create extension pg_stat_statements', database);
  const folder = mkdtempSync(join(tmpdir(), 'lookout-address-'));
  const address = join(folder, 'postgresql');
  symlinkSync(primary.folder, address);
  const standby = hasStandby ? primary.addStandby() : undefined;
  const connection = { host: address, port: 5432, database, user: 'admin' };
  return {
    url: `postgres:///${database}?host=${encodeURIComponent(address)}&user=admin`,
    async rows<Row extends object>(statement: string) {
      const client = new Client(connection);
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query<Row>(statement)).rows;
      } finally {
        await client.end();
      }
    },
    stop: () => primary.stop(),
    start: () => primary.start(),
    failOver() {
      if (standby === undefined) throw new Error('the database has no standby');
      primary.stop();
      standby.promote();
      const moved = join(folder, 'moved');
      symlinkSync(standby.folder, moved);
      renameSync(moved, address);
    },
    remove() {
      standby?.remove();
      primary.remove();
      rmSync(folder, { recursive: true });
    },
  };
}
