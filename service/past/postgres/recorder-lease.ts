import type { Postgres } from '../../postgres/postgres.ts';
import { PostgresFailure } from '../../postgres/postgres-failure.ts';
import type { PostgresSession } from '../../postgres/postgres-session.ts';
import type { SharedContents } from './shared-contents.ts';

/** Locks are numbers that all users of a database share: this one begins with "LkPa". */
const RECORDING_LOCK = 0x4c6b_5061_01;

/** Somebody else records: what this process still had to write is of a time that is the other's. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/**
 * The right to record, which one process has at a time. It is a lock of a connection, and everything is written over that connection: who
 * has lost the connection can write nothing, and who has the lock finds all that was written before.
 */
export class RecorderLease {
  readonly #postgres: Postgres;
  readonly #shared: SharedContents;
  readonly #onLost: () => void;
  readonly #term: number;
  #session: PostgresSession;
  #taking: Promise<PostgresSession> | undefined;
  #isOver = false;

  private constructor(
    postgres: Postgres,
    shared: SharedContents,
    session: PostgresSession,
    term: number,
    onLost: () => void,
  ) {
    this.#postgres = postgres;
    this.#shared = shared;
    this.#session = session;
    this.#term = term;
    this.#onLost = onLost;
  }

  /**
   * Takes the lease; undefined if another process has it. What is shared is then read to the end. Rejects with a PostgresFailure.
   * @param onLost called once, when somebody else has taken it meanwhile
   */
  static async take(
    postgres: Postgres,
    shared: SharedContents,
    onLost: () => void,
  ): Promise<RecorderLease | undefined> {
    const session = await lockedSession(postgres);
    if (session === undefined) return undefined;
    try {
      const [row] = await session.query<{ term: number }>(
        `update lookout.past set term = term + 1, ${BEAT} returning term`,
      );
      await shared.refresh(session.query);
      return new RecorderLease(postgres, shared, session, row!.term, onLost);
    } catch (failure) {
      await session.close();
      throw failure;
    }
  }

  /** Whether nobody else can have written since. */
  get isHeld(): boolean {
    return this.#session.isOpen && !this.#isOver;
  }

  /**
   * The connection that everything is to be written over. A lost one is made anew, if nobody has recorded in between. Rejects with a
   * PostgresFailure, or with LeaseLost.
   */
  session(): Promise<PostgresSession> {
    if (this.#isOver) return Promise.reject(new LeaseLost('another service records'));
    if (this.#session.isOpen) return Promise.resolve(this.#session);
    this.#taking ??= this.#takeAgain().finally(() => {
      this.#taking = undefined;
    });
    return this.#taking;
  }

  /** Says that this process records. */
  async beat(): Promise<void> {
    await (await this.session()).query(`update lookout.past set ${BEAT}`);
  }

  /** Anybody else may have it. What was live stays live meanwhile, as after a crash: a restart is no gap for those that read. */
  async release(): Promise<void> {
    this.#isOver = true;
    await this.#taking?.catch(() => undefined);
    await this.#session.close();
  }

  async #takeAgain(): Promise<PostgresSession> {
    const session = await lockedSession(this.#postgres);
    if (session === undefined) {
      await this.#shared.refresh();
      // The database may still hold the lock for the connection that this process has lost.
      if (this.#shared.term === this.#term)
        throw new PostgresFailure('PostgreSQL waits for the connection that was lost', true);
      throw this.#lose();
    }
    try {
      await this.#shared.refresh(session.query);
      if (this.#shared.term !== this.#term) throw this.#lose();
      this.#session = session;
      return session;
    } catch (failure) {
      await session.close();
      throw failure;
    }
  }

  #lose(): LeaseLost {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#onLost();
    }
    return new LeaseLost('another service records');
  }
}

const BEAT = 'heartbeat_at = (extract(epoch from clock_timestamp()) * 1000)::bigint';

async function lockedSession(postgres: Postgres): Promise<PostgresSession | undefined> {
  const session = await postgres.openSession();
  try {
    const [row] = await session.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      RECORDING_LOCK,
    ]);
    if (row?.locked) return session;
  } catch (failure) {
    await session.close();
    throw failure;
  }
  await session.close();
  return undefined;
}
