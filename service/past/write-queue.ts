import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { FileStore } from './files/file-store.ts';
import type { LogEntry } from './log-entry.ts';
import { type LayerPeriod, periodKey } from './period.ts';
import { Rows } from './rows.ts';
import type { StoreHealth } from './store-health.ts';

/** Later writes of a hanging store would change a past that was final. */
const WRITTEN_WITHIN_MS = 20 * SECOND_MS;

interface WaitingEntry extends LogEntry {
  readonly since: UpstreamInstant;
}

/** Observations that arrive during a write share the next. */
export class WriteQueue {
  readonly #store: Pick<FileStore, 'append'>;
  readonly #health: StoreHealth;
  readonly #now: () => UpstreamInstant;
  readonly #onEnd: (entry: LogEntry, isWritten: boolean) => void;
  #waiting = new Map<string, WaitingEntry>();
  #writing: Promise<void> | undefined;

  constructor(
    store: Pick<FileStore, 'append'>,
    health: StoreHealth,
    now: () => UpstreamInstant,
    onEnd: (entry: LogEntry, isWritten: boolean) => void,
  ) {
    this.#store = store;
    this.#health = health;
    this.#now = now;
    this.#onEnd = onEnd;
  }

  /** Add rows, and then call `write`. */
  rowsOf(period: LayerPeriod): Rows {
    const key = periodKey(period);
    let entry = this.#waiting.get(key);
    if (entry && this.#isTooOld(entry)) {
      this.#onEnd(entry, false);
      entry = undefined;
    }
    if (!entry) {
      entry = { period, rows: new Rows(), since: this.#now() };
      this.#waiting.set(key, entry);
    }
    return entry.rows;
  }

  write(): void {
    if (this.#writing !== undefined || this.#waiting.size === 0) return;
    this.#writing = this.#writeAll().finally(() => {
      this.#writing = undefined;
      this.write();
    });
  }

  async idle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const entries = [...this.#waiting.values()].filter(({ rows }) => rows.length > 0);
      this.#waiting = new Map();
      for (const entry of entries) {
        const isWritten =
          !this.#isTooOld(entry) && (await this.#health.watch('write', () => this.#store.append(entry)));
        this.#onEnd(entry, isWritten);
      }
    }
  }

  #isTooOld({ since }: WaitingEntry): boolean {
    return this.#now() > addMs(since, WRITTEN_WITHIN_MS);
  }
}
