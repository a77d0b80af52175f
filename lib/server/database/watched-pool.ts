import 'server-only';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { DatabaseFailure } from './database-failure.ts';
import type { Outcomes } from './outcomes.ts';

/** Explains errors, and drops connections that did not answer in time. */
export function watchedPool(pool: Pool, outcomes: Outcomes): PostgresPool {
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
