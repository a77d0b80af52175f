import { Coalesced } from '#lib/async/coalesced.ts';
import { commandText } from '#lib/commands/command-text.ts';
import { LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import { LAYERS } from '#lib/contract/operation.ts';
import { errorMessage } from '#lib/text/error-message.ts';
import { addMs, compareInstants, epochMs, formatInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { storageFailure } from '../data-dir/storage-failure.ts';
import type { Observation } from '../sources/observation.ts';
import type { FileStore } from './files/file-store.ts';
import type { LogEntry } from './log-entry.ts';
import type { DropCause, OverduePast, PastProblem, PastState } from './past.ts';
import type { PastContents } from './past-contents.ts';
import { type LayerPeriod, PERIOD_MS, periodKey, periodStart } from './period.ts';
import { Rows } from './rows.ts';
import { storeObservation } from './stored-observation.ts';

export interface RecorderOptions extends RetentionOptions {
  /** A clock that is never set. Default: `now`. */
  readonly steadyNow?: () => UpstreamInstant;
  /** The disk that the past may use. Default: only the days limit it. */
  readonly maxBytes?: number;
}

/** A period is sealed so long after its end. Served observations of the past are final after 30 s. */
const SEALED_AFTER_MS = 35 * SECOND_MS;
const UPKEEP_EVERY_MS = SECOND_MS;
/** A failed sealing waits for so long, since each attempt encodes everything again. */
const SEALING_RETRY_MS = 10 * SECOND_MS;
/** While segments can't be written, at most an hour of both layers is kept in the log. */
const UNSEALED_MAX = 24;
const CLOSED_MAX = 100;

/**
 * The only writer of the past. Observations go to the log of their period; a period that is over is sealed into a
 * segment, and segments beyond the retention are deleted. Nothing rejects: a failing disk is a `problem`, and what it
 * could not take is counted in `dropped`.
 */
export class PastRecorder {
  readonly #contents: PastContents;
  readonly #store: FileStore;
  readonly #options: RecorderOptions;
  readonly #health: StoreHealth;
  readonly #queue: WriteQueue;
  readonly #retention: Retention;
  readonly #closed = new Set<number>();
  readonly #steadyNow: () => UpstreamInstant;
  /** An instant of the steady clock. */
  readonly #startedAt: UpstreamInstant;
  readonly #dropped: Record<DropCause, number> = { untimely: 0, unstorable: 0, unwritten: 0 };
  readonly #upkeep = new Coalesced(() => this.#maintain());
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

  /** Why observations are not stored; undefined while everything is. */
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

  /** Syncs, deletes and seals what is due. Never rejects. */
  maintain(): Promise<void> {
    return this.#upkeep.run();
  }

  /** Ends the recording: later observations are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#queue.idle();
    await this.#upkeep.idle();
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

/** A later write of a hanging store would change a past that was final. */
const WRITTEN_WITHIN_MS = 20 * SECOND_MS;

interface WaitingEntry extends LogEntry {
  readonly since: UpstreamInstant;
}

/** Writes to the log. Observations that arrive during a write share the next. */
class WriteQueue {
  readonly #store: Pick<FileStore, 'append'>;
  readonly #health: StoreHealth;
  readonly #now: () => UpstreamInstant;
  readonly #onEnd: (entry: LogEntry, isWritten: boolean) => void;
  #waiting = new Map<string, WaitingEntry>();
  readonly #writing = new Coalesced(() => this.#writeAll());

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
    // It never rejects: the health of the store has the failures.
    if (this.#waiting.size > 0) void this.#writing.run();
  }

  idle(): Promise<void> {
    return this.#writing.idle();
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

type StoreTask = 'write' | 'sync' | 'seal' | 'delete';

/** Which tasks of the store fail, since when, and why. */
class StoreHealth {
  readonly #clocks: Pick<Required<RecorderOptions>, 'now' | 'steadyNow'>;
  readonly #log: (entry: string) => void;
  readonly #problems = new Map<StoreTask, PastProblem & { readonly lastAt: UpstreamInstant }>();

  constructor(clocks: Pick<Required<RecorderOptions>, 'now' | 'steadyNow'>, log: (entry: string) => void) {
    this.#clocks = clocks;
    this.#log = log;
  }

  get problem(): PastProblem | undefined {
    const [first] = this.#problems.values();
    return first && { cause: first.cause, since: first.since, message: first.message };
  }

  /** Never rejects. Skips the task for `retryAfterMs` after a failure. */
  async watch(task: StoreTask, work: () => Promise<void>, retryAfterMs = 0): Promise<boolean> {
    const known = this.#problems.get(task);
    if (known && this.#clocks.steadyNow() < addMs(known.lastAt, retryAfterMs)) return false;
    try {
      await work();
    } catch (failure) {
      const cause = storageFailure(failure) === 'full' ? 'disk_full' : 'disk_failed';
      const message = `${task}: ${errorMessage(failure)}`;
      const lastAt = this.#clocks.steadyNow();
      this.#problems.set(task, { cause, message, since: known?.since ?? this.#clocks.now(), lastAt });
      if (known?.cause !== cause)
        this.#log(`past: ${cause}: observations are not stored as they should be (${message})`);
      return false;
    }
    if (this.#problems.delete(task)) this.#log(`past: ${task}: works again`);
    return true;
  }
}

interface RetentionOptions {
  /** The time by the wall clock. */
  readonly now: () => UpstreamInstant;
  readonly log: (entry: string) => void;
  /** Days that are kept. Default: the longest lookback. */
  readonly days?: number;
  /** The time before which the operator has confirmed that observations may be deleted. */
  readonly confirmed?: () => UpstreamInstant | undefined;
}

/** Deleting more needs a confirmation: the clock may be wrong. */
const AT_ONCE_MS = DAY_MS;

/**
 * A wrong clock alone deletes nothing: age counts from the newest record, or now if earlier, and a jump of more than a
 * day waits for the operator.
 */
class Retention {
  readonly #contents: PastContents;
  readonly #options: RetentionOptions;
  #overdue: OverduePast | undefined;

  constructor(contents: PastContents, options: RetentionOptions) {
    this.#contents = contents;
    this.#options = options;
  }

  get overdue(): OverduePast | undefined {
    return this.#overdue;
  }

  /** Periods that end before this may be deleted; undefined if none may. */
  keptFrom(): UpstreamInstant | undefined {
    const { now, days = LOOKBACK_MAX_DAYS, confirmed } = this.#options;
    const { oldestStart, newestStart } = this.#contents;
    if (oldestStart === undefined || newestStart === undefined) return undefined;
    const before = addMs(earlier(now(), addMs(newestStart, PERIOD_MS)), -days * DAY_MS);
    if (msBetween(oldestStart, before) <= AT_ONCE_MS) {
      this.#waitFor(undefined);
      return before;
    }
    const confirmedUntil = confirmed?.();
    const isConfirmed = confirmedUntil !== undefined && msBetween(confirmedUntil, before) <= AT_ONCE_MS;
    this.#waitFor(isConfirmed ? undefined : { since: oldestStart, before });
    return confirmedUntil && earlier(confirmedUntil, before);
  }

  #waitFor(overdue: OverduePast | undefined): void {
    const { now, log, days = LOOKBACK_MAX_DAYS } = this.#options;
    const isNew = this.#overdue === undefined && overdue !== undefined;
    const isOver = this.#overdue !== undefined && overdue === undefined;
    this.#overdue = overdue;
    if (isOver) log('past: nothing waits for a confirmation any more before it is deleted');
    if (!isNew) return;
    const [since, before] = [formatInstant(overdue.since), formatInstant(overdue.before)];
    log(
      `past: what was received from ${since} until ${before} is older than ${days} days, if this machine's clock is right, which says ${formatInstant(now())}. So much is deleted only after: ${commandText('service', `past delete --before ${before} --data DIR`)}`,
    );
  }
}

function earlier(one: UpstreamInstant, other: UpstreamInstant): UpstreamInstant {
  return one < other ? one : other;
}
