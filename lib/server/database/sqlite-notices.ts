import 'server-only';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Hears, Listeners, type Notices, type Topic } from './notices.ts';

const LOOK_EVERY_MS = 250;

/**
 * Only `npm run operator` changes the file otherwise. SQLite counts such commits, but does not say what they changed.
 */
export class SqliteNotices implements Notices {
  readonly started = Promise.resolve();
  readonly #listeners = new Listeners();
  readonly #dataVersion: StatementSync;
  readonly #isAlone: boolean;
  #timer: NodeJS.Timeout | undefined;
  #version: unknown;

  /** @param isAlone No other process has the file. */
  constructor(database: DatabaseSync, isAlone: boolean) {
    this.#isAlone = isAlone;
    this.#dataVersion = database.prepare('pragma data_version');
  }

  listen(topic: Topic, hears: Hears, form?: RegExp): () => void {
    if (!this.#timer && !this.#isAlone) {
      this.#version = this.#read();
      this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    }
    return this.#listeners.add(topic, hears, form);
  }

  /** Costs 7 µs. A change takes effect before its command ends. */
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

  #read(): unknown {
    try {
      return this.#dataVersion.get()?.data_version;
    } catch {
      return this.#version;
    }
  }
}
