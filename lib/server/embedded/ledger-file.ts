import 'server-only';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SavedLedger } from '../allowance/allowance-ledger.ts';
import { savedLedgerSchema } from '../allowance/saved-ledger-schema.ts';
import { storageProblem } from '../stores/storage-problem.ts';

/** How long a starting process waits for a stopping one. */
const BUSY_TIMEOUT_MS = 2000;
/** "LkLg": a SQLite file with another application id is not a ledger. */
const APPLICATION_ID = 0x4c6b4c67;

/** One ledger on disk, open in one process at a time. */
export class LedgerFile {
  readonly #database: DatabaseSync;
  readonly #update: StatementSync;
  #written = '';

  /**
   * @param file a path, or `:memory:`
   * @throws Error that names the file, where it is damaged, not a ledger, or in use by another process
   */
  constructor(file: string) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
      database.exec('pragma locking_mode = exclusive');
      database.exec('pragma journal_mode = wal');
      claim(database);
      this.#update = database.prepare('update ledger set saved = ? where id = 1');
      this.#database = database;
    } catch (error) {
      database?.close();
      throw new Error(`The ledger of the upstream's allowance, ${file}, cannot be opened: ${reason(error)}`, {
        cause: error,
      });
    }
  }

  /**
   * The state written last; `undefined` in a new file.
   * @throws Error where it is not a valid ledger
   */
  read(): SavedLedger | undefined {
    const row = this.#database.prepare('select saved from ledger where id = 1').get() as { saved: string } | undefined;
    if (row?.saved === '') return undefined;
    try {
      return savedLedgerSchema.parse(JSON.parse(row?.saved ?? ''));
    } catch {
      throw new Error(`The ledger of the upstream's allowance, ${this.#database.location()}, is damaged; ${remedy}`);
    }
  }

  /** When it returns, the state survives the end of this process and, with `throughPowerCuts`, of the machine. */
  write(saved: SavedLedger, throughPowerCuts: boolean): void {
    const text = JSON.stringify(saved);
    if (text === this.#written) return;
    this.#database.exec(throughPowerCuts ? 'pragma synchronous = full' : 'pragma synchronous = normal');
    this.#update.run(text);
    this.#written = text;
  }

  close(): void {
    this.#database.close();
  }
}

const remedy =
  'move the file away to begin a new ledger, which does not know what was spent today until the upstream answers.';

function claim(database: DatabaseSync): void {
  const { application_id } = database.prepare('pragma application_id').get() as { application_id: number };
  if (application_id === APPLICATION_ID) {
    const { quick_check } = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
    if (quick_check !== 'ok') throw new Error(quick_check);
    return;
  }
  const { tables } = database.prepare('select count(*) as tables from sqlite_schema').get() as { tables: number };
  if (application_id !== 0 || tables > 0) throw new Error('it is the database of another program');
  database.exec(`
    begin immediate;
    create table ledger (id integer primary key check (id = 1), saved text not null) strict;
    insert into ledger values (1, '');
    pragma application_id = ${APPLICATION_ID};
    commit`);
}

function reason(error: unknown): string {
  if (storageProblem(error) === 'in-use')
    return 'another process is using it; stop that process, or give this one another DATA_DIR.';
  return `${(error as Error).message}; ${remedy}`;
}
