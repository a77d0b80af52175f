import { chmod, mkdir } from 'node:fs/promises';
import { LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, compareInstants, epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import type { Observation, PastObservations } from '../sources/observation.ts';
import { askedBox, touches } from './box-in-steps.ts';
import { DiskHealth } from './disk-health.ts';
import { type FoundLog, LogStore } from './log/log-store.ts';
import { OpenPeriod } from './open-period.ts';
import type { DropCause, Past, PastState } from './past.ts';
import { type LayerPeriod, PERIOD_MS, periodKey, periodStart } from './period.ts';
import { type AskedPeriod, earliestObservations, earliestTimes } from './read-past.ts';
import { SegmentStore } from './segment-store.ts';
import { STEPS_PER_DEG, storeObservation } from './stored-observation.ts';
import { WriteQueue } from './write-queue.ts';

export interface EmbeddedPastOptions {
  /** A folder of its own. */
  readonly folder: string;
  readonly now: () => UpstreamInstant;
  readonly log: (entry: string) => void;
  /** Default: the longest lookback. */
  readonly days?: number;
  /** Of the segments and logs on disk. Default: no limit but the days. */
  readonly maxBytes?: number;
  /** Of what was read from segments. Default 64 MB. */
  readonly cacheBytes?: number;
}

/** A period is sealed this long after its end. What is served as past is final 30 s after it was observed. */
const SEALED_AFTER_MS = 35 * SECOND_MS;
const UPKEEP_EVERY_MS = SECOND_MS;
/** Sealing encodes everything again at each attempt. */
const SEALING_RETRY_MS = 10 * SECOND_MS;
/** While segments can't be written, periods stay in memory: an hour of both layers at most. */
const UNSEALED_MAX = 24;
/** Of periods that take no more; older ones are refused by their time. */
const CLOSED_MAX = 100;
const DEFAULT_CACHE_BYTES = 64_000_000;

/** The past in a folder of this machine, used by one process. docs/decisions/0030-thirty-days-in-segments.md */
export class EmbeddedPast implements Past {
  readonly #options: EmbeddedPastOptions;
  readonly #segments: SegmentStore;
  readonly #logs: LogStore;
  readonly #health: DiskHealth;
  readonly #open = new Map<string, OpenPeriod>();
  /** Starts of periods that take no more. */
  readonly #closed = new Set<number>();
  readonly #dropped: Record<DropCause, number> = { untimely: 0, unstorable: 0, unwritten: 0 };
  readonly #queue: WriteQueue;
  #upkeep: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(options: EmbeddedPastOptions, segments: SegmentStore, logs: LogStore) {
    this.#options = options;
    this.#segments = segments;
    this.#logs = logs;
    this.#health = new DiskHealth(options.now, options.log);
    this.#queue = new WriteQueue(logs, this.#health, options.now, (frame, isWritten) => {
      if (isWritten) this.#openPeriod(frame.period).add(frame.rows);
      else this.#dropped.unwritten += frame.rows.length;
    });
  }

  /**
   * Opens the past, and makes its folder if it is missing. What is in the logs is there again; periods that are over are
   * sealed afterwards.
   * @throws Error if another process uses the folder, or it can't be used
   */
  static async open(options: EmbeddedPastOptions): Promise<EmbeddedPast> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    await chmod(options.folder, 0o700);
    const segments = await SegmentStore.open(options.folder, options.cacheBytes ?? DEFAULT_CACHE_BYTES, options.log);
    try {
      const { store, found } = await LogStore.open(options.folder);
      const past = new EmbeddedPast(options, segments, store);
      for (const log of found) await past.#takeBack(log);
      past.#scheduleUpkeep();
      return past;
    } catch (failure) {
      segments.close();
      throw failure;
    }
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

  async history(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<PastObservations> {
    return this.#reading(layer, bbox, window, (periods) => earliestObservations(periods, maxCount));
  }

  async historyTimes(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<UpstreamInstant[]> {
    return this.#reading(layer, bbox, window, async (periods) => {
      const times: UpstreamInstant[] = [];
      for (const { start, offsetsMs } of await earliestTimes(periods, maxCount)) {
        for (const offsetMs of offsetsMs) times.push(addMs(start, offsetMs));
      }
      return times;
    });
  }

  oldestAt(): UpstreamInstant | undefined {
    let oldest = this.#segments.oldestAt;
    for (const { firstAt } of this.#open.values()) {
      if (firstAt !== undefined && (oldest === undefined || firstAt < oldest)) oldest = firstAt;
    }
    return oldest;
  }

  keptSince(): UpstreamInstant | undefined {
    return this.#segments.keptSince;
  }

  state(): PastState {
    return {
      problem: this.#health.problem,
      oldestAt: this.oldestAt(),
      bytes: this.#segments.bytes + this.#logs.bytes,
      segments: this.#segments.count,
      damagedSegments: this.#segments.damaged,
      dropped: { ...this.#dropped },
    };
  }

  /**
   * Makes what was written survive the machine, deletes what is too old or too much, and seals what is over. It runs by
   * itself each second, and never rejects.
   */
  maintain(): Promise<void> {
    this.#upkeep = this.#upkeep.then(() => this.#maintain());
    return this.#upkeep;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#queue.idle();
    await this.#upkeep;
    await this.#health.watch('sync', () => this.#logs.sync());
    await this.#logs.close();
    this.#segments.close();
  }

  #scheduleUpkeep(): void {
    this.#timer = setTimeout(async () => {
      await this.maintain();
      if (!this.#isClosed) this.#scheduleUpkeep();
    }, UPKEEP_EVERY_MS).unref();
  }

  async #maintain(): Promise<void> {
    if (this.#isClosed) return;
    await this.#health.watch('sync', () => this.#logs.sync());
    await this.#health.watch('delete', () => this.#deleteWhatIsToGo());
    await this.#health.watch('seal', () => this.#sealWhatIsOver(), SEALING_RETRY_MS);
  }

  #refusal(period: LayerPeriod, now: UpstreamInstant): DropCause | undefined {
    const { start } = period;
    const hasNotBegun = start > addMs(now, PERIOD_MS);
    if (this.#isClosed || hasNotBegun || isOver(period, now) || this.#closed.has(epochMs(start))) return 'untimely';
    if (this.#segments.get(period)) return 'untimely';
    return this.#open.size >= UNSEALED_MAX ? 'unwritten' : undefined;
  }

  #openPeriod(period: LayerPeriod): OpenPeriod {
    const key = periodKey(period);
    let open = this.#open.get(key);
    if (!open) {
      open = new OpenPeriod(period);
      this.#open.set(key, open);
    }
    return open;
  }

  /** Takes back what a log has of periods that are not sealed. */
  async #takeBack({ start, file, frames, isDamaged, cutBytes }: FoundLog): Promise<void> {
    const { log } = this.#options;
    if (isDamaged) log(`past: ${file} is damaged, and answers over its five minutes are marked as truncated`);
    if (cutBytes > 0) log(`past: ${file}: ${cutBytes} bytes at its end were not written to the end, and are cut off`);
    for (const { period, rows } of frames) {
      if (period.start === start && !this.#segments.get(period)) this.#openPeriod(period).add(rows);
    }
    if (isDamaged) {
      for (const layer of LAYERS) {
        if (!this.#segments.get({ layer, start })) this.#openPeriod({ layer, start }).isWhole = false;
      }
    }
    const isNeeded = LAYERS.some((layer) => this.#open.has(periodKey({ layer, start })));
    if (!isNeeded) await this.#logs.delete(start);
  }

  async #sealWhatIsOver(): Promise<void> {
    await this.#queue.idle();
    const now = this.#options.now();
    const starts = [...this.#open.values()].map(({ period }) => period).filter((period) => isOver(period, now));
    for (const start of new Set(starts.map(({ start }) => start).sort(compareInstants))) await this.#seal(start);
  }

  async #seal(start: UpstreamInstant): Promise<void> {
    this.#closed.add(epochMs(start));
    for (const oldest of this.#closed) {
      if (this.#closed.size <= CLOSED_MAX) break;
      this.#closed.delete(oldest);
    }
    // What was taken before is still being written.
    await this.#queue.idle();
    for (const layer of LAYERS) {
      const open = this.#open.get(periodKey({ layer, start }));
      if (!open) continue;
      await this.#segments.seal(open.period, open.rows, open.isWhole);
      this.#open.delete(periodKey(open.period));
    }
    await this.#logs.delete(start);
  }

  async #deleteWhatIsToGo(): Promise<void> {
    const { days = LOOKBACK_MAX_DAYS, maxBytes = Number.POSITIVE_INFINITY } = this.#options;
    const keptFrom = addMs(this.#options.now(), -days * DAY_MS);
    await this.#segments.deleteWhile(
      ({ start }, bytes) => addMs(start, PERIOD_MS) <= keptFrom || bytes + this.#logs.bytes > maxBytes,
    );
  }

  /** Reads the periods of the window that may have something in the box. */
  async #reading<Result>(
    layer: Layer,
    bbox: Bbox,
    window: Window,
    read: (periods: readonly AskedPeriod[]) => Promise<Result>,
  ): Promise<Result> {
    const box = askedBox(bbox, STEPS_PER_DEG[layer]);
    const periods: AskedPeriod[] = [];
    const ends: (() => Promise<void>)[] = [];
    for (let start = periodStart(window.start); start < window.end; start = addMs(start, PERIOD_MS)) {
      const asked = { box, fromMs: msBetween(start, window.start), untilMs: msBetween(start, window.end) };
      const entry = this.#segments.get({ layer, start });
      const open = this.#open.get(periodKey({ layer, start }));
      if (entry) {
        if (entry.firstMs >= asked.untilMs || entry.lastMs < asked.fromMs || !touches(box, entry.box)) continue;
        const reading = this.#segments.reading(entry);
        periods.push({ start, held: reading.held, asked });
        ends.push(reading.close);
      } else if (open) periods.push({ start, held: open, asked });
    }
    try {
      return await read(periods);
    } finally {
      await Promise.all(ends.map((end) => end()));
    }
  }
}

function isOver({ start }: LayerPeriod, now: UpstreamInstant): boolean {
  return addMs(start, PERIOD_MS + SEALED_AFTER_MS) <= now;
}
