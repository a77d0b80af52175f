import 'server-only';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ApiError } from '../../api-error.ts';
import { storageFailureText, storageProblem } from '../../stores/storage-problem.ts';

const BUSY_TIMEOUT_MS = 2000;

/**
 * How often each passkey was used, as its authenticator counts. Kept beside the sessions and not in the file of operators, since
 * it changes with every use. Passkeys that several devices share do not count: they say 0 each time.
 */
export class PasskeyCounters {
  readonly #advance: StatementSync;
  readonly #forget: StatementSync;

  /** @param file that of the sessions, or `:memory:` */
  constructor(file: string) {
    const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    database.exec(
      'create table if not exists passkey_counter (id text primary key, counter integer not null) strict, without rowid',
    );
    // One statement, so that of two answers with the same count one is refused.
    this.#advance = database.prepare(
      `insert into passkey_counter values (:id, :counter) on conflict (id) do update set counter = excluded.counter
       where excluded.counter > counter or (excluded.counter = 0 and counter = 0)`,
    );
    this.#forget = database.prepare('delete from passkey_counter where id = ?');
  }

  /** Begins anew with a passkey that was just made. */
  begin(id: string, counter: number): void {
    this.#write(() => {
      this.#forget.run(id);
      this.#advance.run({ id, counter });
    });
  }

  /** @returns whether the count went on; if not, the passkey may have been copied, and the count stays */
  advance(id: string, counter: number): boolean {
    return this.#write(() => Number(this.#advance.run({ id, counter }).changes) === 1);
  }

  /** @throws ApiError where the disk cannot be written */
  #write<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      const problem = storageProblem(error);
      throw problem === undefined ? error : new ApiError('storage_failed', storageFailureText(problem));
    }
  }
}
