import 'server-only';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ApiError } from '../../api-error.ts';
import type { PasskeyCount, PasskeyCounts } from '../../ports/passkey-counts.ts';
import { storageFailureText, storageProblem } from '../../stores/storage-problem.ts';

const BUSY_TIMEOUT_MS = 2000;

/** The counts of passkeys, beside the sessions and not in the file of operators, since they change with every use. */
export class PasskeyCounters implements PasskeyCounts {
  readonly #advance: StatementSync;
  readonly #forget: StatementSync;
  readonly #find: StatementSync;

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
    this.#find = database.prepare('select 1 from passkey_counter where id = ?');
    this.#forget = database.prepare('delete from passkey_counter where id = ?');
  }

  async begin(id: string, counter: number): Promise<void> {
    this.#write(() => {
      this.#forget.run(id);
      this.#advance.run({ id, counter });
    });
  }

  async advance(id: string, counter: number): Promise<PasskeyCount> {
    return this.#write(() => {
      const isKnown = this.#find.get(id) !== undefined;
      if (Number(this.#advance.run({ id, counter }).changes) === 0) return 'went-back';
      return isKnown ? 'went-on' : 'begun-anew';
    });
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
