import 'server-only';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import type { Part } from '../supervision/supervisor.ts';
import type { OperatorEntry } from './operator-entry.ts';
import { type ChangesOperators, OPERATOR_TOPIC, OperatorStore } from './operator-store.ts';

const RETRY_AFTER_MS = SECOND_MS;

/** A change by any server or command takes effect within a second; in SQLite see `caughtUp`. */
export class Operators {
  readonly #database: Database;
  readonly #store: OperatorStore;
  readonly #part: Part;
  readonly #endListening: () => void;
  #byName: ReadonlyMap<string, OperatorEntry> = new Map();
  #loading: Promise<void> | undefined;
  #isStale = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;

  private constructor(database: Database, part: Part) {
    this.#database = database;
    this.#part = part;
    this.#store = new OperatorStore(database);
    this.#endListening = database.listen(OPERATOR_TOPIC, () => void this.#follow());
  }

  /** Rejects with a `DatabaseFailure`. */
  static async open(database: Database, part: Part): Promise<Operators> {
    const operators = new Operators(database, part);
    await operators.#load();
    return operators;
  }

  /** Resolves when all known changes are in memory. The last state remains while the database fails. */
  async caughtUp(): Promise<void> {
    if (this.#database.isCurrent) await this.#loading?.catch(() => undefined);
  }

  find(name: string): OperatorEntry | undefined {
    return this.#byName.get(name);
  }

  all(): readonly OperatorEntry[] {
    return [...this.#byName.values()];
  }

  /** Rejects with a `DatabaseFailure`, or with what `change` throws, and then changes nothing. */
  async change(change: ChangesOperators): Promise<void> {
    await this.#store.change(change);
    await this.#follow();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endListening();
    clearTimeout(this.#retry);
    await this.#loading?.catch(() => undefined);
  }

  /** Retries until it succeeds: a removed operator must not stay. */
  async #follow(): Promise<void> {
    if ((await this.#part.run(() => this.#load())) || this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#follow(), RETRY_AFTER_MS).unref();
  }

  #load(): Promise<void> {
    this.#isStale = true;
    this.#loading ??= this.#loadAll();
    return this.#loading;
  }

  async #loadAll(): Promise<void> {
    try {
      while (this.#isStale) {
        this.#isStale = false;
        const entries = await this.#store.read();
        this.#byName = new Map(entries.map((entry) => [entry.name, entry]));
      }
    } finally {
      // A change after the loop's last check must begin another load.
      this.#loading = undefined;
    }
  }
}
