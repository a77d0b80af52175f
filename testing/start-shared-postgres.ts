import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '#lib/server/database/open-database.ts';
import { type Cluster, startCluster } from './postgres-cluster.ts';
import { type SharedPostgresAnswer, TEMPLATE } from './shared-postgres.ts';

/** Vitest's global set-up: a run starts one PostgreSQL when a test first needs it. */
export default async function setUp(project: TestProject): Promise<() => void> {
  let cluster: Cluster | undefined;
  let answer: Promise<SharedPostgresAnswer> | undefined;
  const start = async (programs: string): Promise<SharedPostgresAnswer> => {
    try {
      cluster = startCluster(programs, { max_connections: '500', autovacuum: 'off' });
      cluster.sql(`create database ${TEMPLATE}`);
      await (await openDatabase(cluster.target(TEMPLATE))).close();
      return { folder: cluster.folder };
    } catch (error) {
      return { error: String(error) };
    }
  };
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    const programs = await text(socket);
    answer ??= start(programs);
    socket.end(JSON.stringify(await answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('sharedPostgres', { port: (server.address() as AddressInfo).port });
  return () => {
    server.close();
    cluster?.remove();
  };
}
