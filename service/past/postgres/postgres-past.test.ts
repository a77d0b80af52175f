import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openPostgres } from '../../postgres/open-postgres.ts';
import type { Postgres } from '../../postgres/postgres.ts';
import { type Cluster, postgresPrograms, startCluster } from '../../postgres/postgres-cluster.fixture.ts';
import { declarePastSuite } from '../past-suite.fixture.ts';
import { DatabasePlace } from './database-place.fixture.ts';

const programs = postgresPrograms();

describe.skipIf(programs === undefined)('with PostgreSQL', () => {
  let cluster: Cluster | undefined;
  let postgres: Postgres;
  const logged: string[] = [];
  beforeAll(async () => {
    cluster = startCluster(programs as string);
    postgres = await openPostgres(cluster.target(), { makes: true, log: (entry) => logged.push(entry) });
  });
  afterAll(async () => {
    await postgres?.close();
    cluster?.remove();
    expect(logged).toEqual([]);
  });

  declarePastSuite('PostgreSQL', () => DatabasePlace.emptied(postgres));
});
