import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { Pool, type PoolClient, types } from 'pg';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { readPasswordFile } from './password-file.ts';
import { explainedFailure, PostgresFailure } from './postgres-failure.ts';
import { PostgresSession } from './postgres-session.ts';
import { type PostgresTarget, targetText } from './postgres-target.ts';
import type { Query } from './query.ts';

const CONNECTIONS_MAX = 10;
/** For a connection, and for a free one among them. */
const CONNECT_TIMEOUT_MS = 3 * SECOND_MS;
/** By the server, and a little later by the driver where the network says nothing. */
const STATEMENT_TIMEOUT_MS = 5 * SECOND_MS;
const QUERY_TIMEOUT_MS = 6 * SECOND_MS;
const INT8 = types.builtins.INT8;
/** Without effect on a Unix socket, whose end is always seen. */
const SILENT_SESSION_ENDS = `select set_config('tcp_keepalives_idle', '4', false), set_config('tcp_keepalives_interval', '2', false),
  set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '10000', false)`;

/**
 * Connections to one database, at most ten. A lost one is made anew by the next query. All that is asked ends within seconds, and rejects
 * with a PostgresFailure if the database is at fault. Instants and counts fit into numbers, so int8 is read as one.
 */
export class Postgres {
  readonly target: PostgresTarget;
  readonly #pool: Pool;
  readonly #log: (entry: string) => void;
  readonly #sockets = new Set<Socket>();
  #isLost = false;

  /**
   * Connects with the first query.
   * @param log called when the database is lost, and when it is back
   * @throws Error if the file of the root certificate cannot be read
   */
  constructor(target: PostgresTarget, log: (entry: string) => void) {
    this.target = target;
    this.#log = log;
    const { host, port, database, tls } = target;
    const user = target.user ?? process.env.PGUSER ?? process.env.USER;
    this.#pool = new Pool({
      host,
      port,
      database,
      ...(user === undefined ? {} : { user }),
      password: () => readPasswordFile(target, user) ?? '',
      ssl: tls === 'off' ? false : { ...rootCert(target), rejectUnauthorized: true },
      max: CONNECTIONS_MAX,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      stream: () => this.#newSocket(),
      application_name: 'lookout',
      types: {
        getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
          oid === INT8 ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
      },
    });
    // Of connections that nobody uses: the next query makes another one.
    this.#pool.on('error', (error) => this.#explained(error));
  }

  query: Query = (sql, values = []) => this.#watched(async () => (await this.#pool.query(sql, [...values])).rows);

  /** All of the work or none. `begin` opens the transaction. */
  within<Result>(begin: string, work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#watched(async () => {
      const client = await this.#pool.connect();
      let failure: Error | undefined;
      // Also between two queries; without a listener it would end the process.
      const onLost = (error: Error) => {
        failure = error;
      };
      client.on('error', onLost);
      try {
        await client.query(begin);
        const result = await work(queryOf(client));
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch(onLost);
        throw error;
      } finally {
        client.off('error', onLost);
        client.release(failure);
      }
    });
  }

  /** A connection of one's own, one of the ten. If its other end falls silent, the database ends it within about ten seconds. */
  openSession(): Promise<PostgresSession> {
    return this.#watched(async () => {
      const client = await this.#pool.connect();
      const session = new PostgresSession(client, (ask) => this.#watched(ask));
      try {
        await session.query(SILENT_SESSION_ENDS);
      } catch (failure) {
        await session.close();
        throw failure;
      }
      return session;
    });
  }

  /** Waits for what is under way; sessions have to be closed before. */
  async close(): Promise<void> {
    await this.#pool.end();
    // The driver leaves a connection open for which it has no password.
    for (const socket of this.#sockets) socket.destroy();
  }

  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  async #watched<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      const result = await ask();
      if (this.#isLost) this.#log(`PostgreSQL at ${targetText(this.target)} is back.`);
      this.#isLost = false;
      return result;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** Says once that the database is lost. */
  #explained(error: unknown): unknown {
    const explained = explainedFailure(error, this.target);
    if (explained instanceof PostgresFailure && explained.isLost) {
      if (!this.#isLost) this.#log(explained.message);
      this.#isLost = true;
    }
    return explained;
  }
}

function queryOf(client: PoolClient): Query {
  return async (sql, values = []) => (await client.query(sql, [...values])).rows;
}

function rootCert({ rootCertFile }: PostgresTarget): { readonly ca?: string } {
  if (rootCertFile === undefined) return {};
  try {
    return { ca: readFileSync(rootCertFile, 'utf8') };
  } catch (error) {
    throw new Error(`sslrootcert=${rootCertFile} cannot be read: ${(error as Error).message}.`);
  }
}
