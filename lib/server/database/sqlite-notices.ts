import 'server-only';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Hears, Listeners, type Notices } from './notices.ts';

const LOOK_EVERY_MS = 250;

/**
 * One server has the file to itself, so only `npm run operator` changes it otherwise. SQLite counts such commits, and does not say
 * what they changed.
 */
export class SqliteNotices implements Notices {
  readonly #listeners = new Listeners();
  readonly #dataVersion: StatementSync;
  /** Runs from the first listener on. */
  #timer: NodeJS.Timeout | undefined;
  #version: unknown;

  constructor(database: DatabaseSync) {
    this.#dataVersion = database.prepare('pragma data_version');
  }

  listen(topic: string, hears: Hears): () => void {
    if (!this.#timer) {
      this.#version = this.#read();
      this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    }
    return this.#listeners.add(topic, hears);
  }

  /** Looks now: a change takes effect before the command that made it ends. Costs 7 µs. */
  get isCurrent(): boolean {
    if (this.#timer) this.#look();
    return true;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  #look(): void {
    const version = this.#read();
    if (version === this.#version) return;
    this.#version = version;
    this.#listeners.missed();
  }

  /** A file that cannot be read fails the next statement, which reports it. */
  #read(): unknown {
    try {
      return this.#dataVersion.get()?.data_version;
    } catch {
      return this.#version;
    }
  }
}
