import 'server-only';
import { readFileSync } from 'node:fs';
import { Client, type ClientConfig, Pool, types } from 'pg';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { DatabaseFailure } from './database-failure.ts';
import type { PostgresTarget } from './postgres-target.ts';

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 3 * SECOND_MS;
/** By the server, and by the driver where the network is silent. Poolers refuse it as a startup parameter. */
const STATEMENT_TIMEOUT_MS = 5 * SECOND_MS;
const QUERY_TIMEOUT_MS = 6 * SECOND_MS;
const { INT8, NUMERIC } = types.builtins;

export function postgresPool(target: PostgresTarget): Pool {
  return new Pool({
    ...clientConfig(target),
    max: CONNECTIONS_MAX,
    // Kysely's own hook would keep a connection for good whose set-up fails, and no other would take its place.
    onConnect: (client) => client.query(`set synchronous_commit = on; set statement_timeout = ${STATEMENT_TIMEOUT_MS}`),
  });
}

/** One connection, whose statements may take as long as they need. */
export function patientPool(target: PostgresTarget): Pool {
  return new Pool({ ...clientConfig(target), query_timeout: 0, max: 1 });
}

/** @param timeoutMs of a statement; 0: none */
export function postgresClient(target: PostgresTarget, timeoutMs = SECOND_MS): Client {
  return new Client({ ...clientConfig(target), query_timeout: timeoutMs });
}

function clientConfig({ host, port, database, user, password, tls, rootCertFile }: PostgresTarget): ClientConfig {
  return {
    host,
    port,
    database,
    user,
    password: () => (password && 'file' in password ? passwordOf(password.file) : (password?.value ?? '')),
    ssl: tls && { rejectUnauthorized: true, ...(rootCertFile === undefined ? {} : { ca: rootCert(rootCertFile) }) },
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'lookout',
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === INT8 || oid === NUMERIC
          ? Number
          : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
    },
  };
}

export function passwordOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new DatabaseFailure('denied', `DATABASE_PASSWORD_FILE cannot be read: ${(error as Error).message}.`, error);
  }
}

function rootCert(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new DatabaseFailure(
      'denied',
      `sslrootcert of DATABASE_URL cannot be read: ${(error as Error).message}.`,
      error,
    );
  }
}
