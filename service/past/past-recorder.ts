import { LAYERS } from '#lib/contract/operation.ts';
import { addMs, compareInstants, epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Observation } from '../sources/observation.ts';
import type { FileStore } from './files/file-store.ts';
import type { DropCause, OverduePast, PastProblem, PastState } from './past.ts';
import type { PastContents } from './past-contents.ts';
import { type LayerPeriod, PERIOD_MS, periodStart } from './period.ts';
import { Retention, type RetentionOptions } from './retention.ts';
import { StoreHealth } from './store-health.ts';
import { storeObservation } from './stored-observation.ts';
import { WriteQueue } from './write-queue.ts';

export interface RecorderOptions extends RetentionOptions {
  /** Never set. Default: `now`. */
  readonly steadyNow?: () => UpstreamInstant;
  /** Default: no limit but the days. */
  readonly maxBytes?: number;
}

/** After a period's end. Served observations of the past are final after 30 s. */
const SEALED_AFTER_MS = 35 * SECOND_MS;
const UPKEEP_EVERY_MS = SECOND_MS;
/** Each attempt encodes everything again. */
const SEALING_RETRY_MS = 10 * SECOND_MS;
/** While segments can't be written: an hour of both layers at most. */
const UNSEALED_MAX = 24;
const CLOSED_MAX = 100;

/** The only writer. */
export class PastRecorder {
  readonly #contents: PastContents;
  readonly #store: FileStore;
  readonly #options: RecorderOptions;
  readonly #health: StoreHealth;
  readonly #queue: WriteQueue;
  readonly #retention: Retention;
  readonly #closed = new Set<number>();
  readonly #steadyNow: () => UpstreamInstant;
  /** On the steady clock. */
  readonly #startedAt: UpstreamInstant;
  readonly #dropped: Record<DropCause, number> = { untimely: 0, unstorable: 0, unwritten: 0 };
  #upkeep: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(contents: PastContents, store: FileStore, options: RecorderOptions) {
    this.#contents = contents;
    this.#store = store;
    this.#options = options;
    const { now, steadyNow = now, log } = options;
    this.#steadyNow = steadyNow;
    this.#startedAt = steadyNow();
    this.#health = new StoreHealth({ now, steadyNow }, log);
    this.#retention = new Retention(contents, options);
    this.#queue = new WriteQueue(store, this.#health, steadyNow, (entry, isWritten) => {
      if (isWritten) contents.openPeriod(entry.period).add(entry.rows);
      else this.#dropped.unwritten += entry.rows.length;
    });
  }

  /** Undefined while everything is stored. */
  get problem(): PastProblem | undefined {
    return this.#health.problem;
  }

  get overdue(): OverduePast | undefined {
    return this.#retention.overdue;
  }

  get dropped(): PastState['dropped'] {
    return { ...this.#dropped };
  }

  append(observations: readonly Observation[]): void {
    const now = this.#options.now();
    for (const observation of observations) {
      const period = { layer: observation.layer, start: periodStart(observation.observedAt) };
      const cause = this.#refusal(period, now);
      if (cause) this.#dropped[cause] += 1;
      else if (!storeObservation(this.#queue.rowsOf(period), observation)) this.#dropped.unstorable += 1;
    }
    this.#queue.write();
  }

  flush(): Promise<void> {
    return this.#queue.idle();
  }

  start(): void {
    this.#timer = setTimeout(async () => {
      await this.maintain();
      if (!this.#isClosed) this.start();
    }, UPKEEP_EVERY_MS).unref();
  }

  /** Never rejects. */
  maintain(): Promise<void> {
    this.#upkeep = this.#upkeep.then(() => this.#maintain());
    return this.#upkeep;
  }

  /** Later observations are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#queue.idle();
    await this.#upkeep;
    await this.#health.watch('sync', () => this.#store.sync());
  }

  async #maintain(): Promise<void> {
    if (this.#isClosed) return;
    await this.#health.watch('sync', () => this.#store.sync());
    await this.#health.watch('delete', () => this.#deleteWhatIsToGo());
    await this.#health.watch('seal', () => this.#sealWhatIsOver(), SEALING_RETRY_MS);
  }

  #refusal(period: LayerPeriod, now: UpstreamInstant): DropCause | undefined {
    const { start } = period;
    const hasNotBegun = start > addMs(now, PERIOD_MS);
    if (this.#isClosed || hasNotBegun || isOver(period, now) || this.#closed.has(epochMs(start))) return 'untimely';
    if (this.#contents.segments.get(period)) return 'untimely';
    return this.#contents.open.length >= UNSEALED_MAX ? 'unwritten' : undefined;
  }

  async #sealWhatIsOver(): Promise<void> {
    // A clock that starts ahead must not close the period of the right time: it would take no more.
    if (this.#steadyNow() < addMs(this.#startedAt, PERIOD_MS + SEALED_AFTER_MS)) return;
    await this.#queue.idle();
    const now = this.#options.now();
    const starts = this.#contents.open.map(({ period }) => period).filter((period) => isOver(period, now));
    for (const start of new Set(starts.map(({ start }) => start).sort(compareInstants))) await this.#seal(start);
  }

  async #seal(start: UpstreamInstant): Promise<void> {
    this.#closed.add(epochMs(start));
    for (const oldest of this.#closed) {
      if (this.#closed.size <= CLOSED_MAX) break;
      this.#closed.delete(oldest);
    }
    await this.#queue.idle();
    for (const layer of LAYERS) {
      const open = this.#contents.opened({ layer, start });
      if (!open) continue;
      await this.#store.seal(open.period, open.rows, open.isWhole);
      this.#contents.close(open.period);
    }
    await this.#store.deleteEntries(start);
  }

  async #deleteWhatIsToGo(): Promise<void> {
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#options;
    const keptFrom = this.#retention.keptFrom();
    await this.#store.deleteWhile(
      ({ start }, bytes) =>
        (keptFrom !== undefined && addMs(start, PERIOD_MS) <= keptFrom) || bytes + this.#store.logBytes > maxBytes,
    );
  }
}

function isOver({ start }: LayerPeriod, now: UpstreamInstant): boolean {
  return addMs(start, PERIOD_MS + SEALED_AFTER_MS) <= now;
}
