import 'server-only';
import { readFileSync } from 'node:fs';
import { type Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import { Client, type ClientConfig, Pool, type PoolClient, types } from 'pg';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { DatabaseFailure, type DatabaseProblem, misfitText, type Outcomes } from './database-failure.ts';
import { NoticesUndelivered } from './notices.ts';
import { type PostgresTarget, postgresName } from './postgres-target.ts';

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 3 * SECOND_MS;
/**
 * The server ends a statement after this, and the driver where the network is silent. Poolers refuse it as a startup
 * parameter.
 */
const STATEMENT_TIMEOUT_MS = 5 * SECOND_MS;
const QUERY_TIMEOUT_MS = 6 * SECOND_MS;
const { INT8, NUMERIC } = types.builtins;

/** Connections with bounded statements. Its errors are `DatabaseFailure`s; `outcomes` receives each. */
export function postgresDialect(target: PostgresTarget, outcomes: Outcomes): PostgresDialect {
  const pool = new Pool({
    ...clientConfig(target),
    max: CONNECTIONS_MAX,
    // Kysely's own hook would keep a connection for good whose set-up fails, and no other would take its place.
    onConnect: (client) => client.query(`set synchronous_commit = on; set statement_timeout = ${STATEMENT_TIMEOUT_MS}`),
  });
  return new PostgresDialect({ pool: watchedPool(pool, outcomes) });
}

/** One connection, whose statements may take as long as they need. */
export function patientPostgresDialect(target: PostgresTarget, outcomes: Outcomes): PostgresDialect {
  const pool = new Pool({ ...clientConfig(target), query_timeout: 0, max: 1 });
  return new PostgresDialect({ pool: watchedPool(pool, outcomes) });
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

/** Explains errors, and drops connections that did not answer in time. */
function watchedPool(pool: Pool, outcomes: Outcomes): PostgresPool {
  const clients = new WeakMap<PoolClient, WatchedClient>();
  // Without a listener, a connection that breaks between statements would end the process.
  pool.on('connect', (client) => client.on('error', (error) => outcomes.failed(error)));
  pool.on('error', () => undefined);
  return {
    options: pool.options,
    async connect() {
      if (outcomes.stopped) throw outcomes.stopped;
      const client = await watched(pool.connect(), outcomes);
      const known = clients.get(client) ?? new WatchedClient(client, outcomes);
      clients.set(client, known);
      return known as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
  };
}

class WatchedClient {
  readonly #client: PoolClient;
  readonly #outcomes: Outcomes;
  #isBroken = false;

  constructor(client: PoolClient, outcomes: Outcomes) {
    this.#client = client;
    this.#outcomes = outcomes;
  }

  async query(sql: string, parameters: readonly unknown[]) {
    if (this.#outcomes.stopped && sql !== 'rollback') throw this.#outcomes.stopped;
    try {
      return await watched(this.#client.query(sql, [...parameters]), this.#outcomes);
    } catch (error) {
      if (error instanceof DatabaseFailure && error.kind === 'lost') this.#isBroken = true;
      throw error;
    }
  }

  release(isDiscarded?: boolean): void {
    this.#client.release(this.#isBroken || isDiscarded === true);
  }
}

async function watched<Result>(work: Promise<Result>, outcomes: Outcomes): Promise<Result> {
  let result: Result;
  try {
    result = await work;
  } catch (error) {
    throw outcomes.failed(error);
  }
  outcomes.succeeded();
  return result;
}

const MIN_SERVER_VERSION = 15;

/** @throws DatabaseFailure if the server is too old, or stores text in another encoding */
export async function requireServer<Tables>(query: Kysely<Tables>, where: string): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding
  `.execute(query);
  const { version, encoding } = rows[0]!;
  if (version < MIN_SERVER_VERSION)
    throw new DatabaseFailure(
      'denied',
      `${where} is version ${version}: version ${MIN_SERVER_VERSION} or newer is needed.`,
    );
  if (encoding !== 'UTF8')
    throw new DatabaseFailure(
      'denied',
      `${where} stores text as ${encoding}: make the database with createdb -E UTF8 -T template0.`,
    );
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);
/** Messages of the driver that have no code. */
const ENDED = /timeout exceeded|connection timeout|Connection terminated|not queryable|connection ended/i;
const UNTRUSTED = /^(CERT_|.*_CERT_|DEPTH_ZERO|UNABLE_TO_|ERR_TLS_|.*SELF_SIGNED)/;

/** The failure behind an error of PostgreSQL. Other errors are returned unchanged. */
export function postgresFailure(error: unknown, target: PostgresTarget): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseFailure) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const message = error.message || code;
  const where = postgresName(target);
  const failure = (kind: DatabaseProblem, text: string) => new DatabaseFailure(kind, text, error);

  if (error instanceof NoticesUndelivered || /statement pooling/.test(message))
    return failure(
      'denied',
      `${where} does not deliver notices (LISTEN): a pooler in transaction or statement mode answers for it. Use a pool in session mode, or connect to PostgreSQL directly.`,
    );
  if (code === '08P01' && /startup parameter|no such|authentication failed/.test(message))
    return failure('denied', `${where} is behind a pooler that refuses the connection: ${message}.`);
  if (/Query read timeout/.test(message))
    return failure(
      'lost',
      `${where} does not answer in time: look at its load and its locks, or give the pooler before it 11 connections for each server.`,
    );
  if (UNREACHABLE.has(code) || ENDED.test(message) || /^(08...|57P0[1-5])$/.test(code))
    return failure('lost', `${where} cannot be reached: ${message}. Start it, or correct DATABASE_URL.`);
  if (/^SASL|password must be a string/.test(message))
    return failure('denied', `${where} asks for a password: write it to a file, and set DATABASE_PASSWORD_FILE.`);
  if (UNTRUSTED.test(code))
    return failure(
      'denied',
      `${where} shows a certificate that is not trusted: ${message}. Add sslrootcert=FILE of its authority to DATABASE_URL, and use the name that it is made out to.`,
    );
  if (/does not support SSL/.test(message))
    return failure(
      'denied',
      `${where} speaks no TLS: turn ssl on there, or add sslmode=disable to DATABASE_URL in a network that is yours alone.`,
    );
  return knownCode(code, message, where, target, failure) ?? error;
}

function knownCode(
  code: string,
  message: string,
  where: string,
  { user, database }: PostgresTarget,
  failure: (kind: DatabaseProblem, text: string) => DatabaseFailure,
): DatabaseFailure | undefined {
  switch (code) {
    case '53300':
      return failure('lost', `${where} has no connection left: raise max_connections, or run fewer servers.`);
    case '25006':
      return failure('lost', `${where} is a standby: promote it, or write the primary’s address to DATABASE_URL.`);
    case '28P01':
      return failure('denied', `${where} refuses the password of ${user}: correct it in DATABASE_PASSWORD_FILE.`);
    case '28000':
      if (/^Peer authentication/.test(message))
        return failure(
          'denied',
          `${where} lets in the system user ${user} alone (peer in pg_hba.conf): run Lookout as that user, or map its user in pg_ident.conf.`,
        );
      return failure(
        'denied',
        `${where} does not let ${user} in: ${message}. Make the role, and allow it in pg_hba.conf.`,
      );
    case '3D000':
      return failure('denied', `${where} does not exist: make it with createdb --owner ${user} ${database}.`);
    case '42501':
      return failure('denied', `${where}: ${message}. Make ${user} the owner of the database.`);
    case '53100':
      return failure('full', `The disk of ${where} is full: make room on it.`);
    case '55P03':
    case '57014':
    case '40001':
    case '40P01':
      return failure('in-use', `${where} is being changed by another process: try again (${message}).`);
    case 'XX001':
    case 'XX002':
      return failure('damaged', `${where} is damaged: ${message}. Restore a backup.`);
    case '42P01': // undefined table, column; duplicate table, column
    case '42703':
    case '42P07':
    case '42701':
      return failure('other-schema', misfitText(where, message));
    default:
      return undefined;
  }
}
