import type { Layer } from '#lib/contract/operation.ts';
import { LAYERS } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, compareInstants, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { orUnavailable } from '../../postgres/or-unavailable.ts';
import type { Postgres } from '../../postgres/postgres.ts';
import { PostgresFailure } from '../../postgres/postgres-failure.ts';
import type { Observation, PastObservations } from '../../sources/observation.ts';
import type { DropCause, Past, PastProblem, PastState } from '../past.ts';
import { PastRecorder, type RecorderOptions } from '../past-recorder.ts';
import { latestOfTracks } from './latest-of-tracks.ts';
import { PostgresStore } from './postgres-store.ts';
import { LeaseLost, RecorderLease } from './recorder-lease.ts';
import { SharedContents } from './shared-contents.ts';

export interface PostgresPastOptions extends RecorderOptions {
  readonly postgres: Postgres;
  /** Of what was read from segments. Default 64 MB. */
  readonly cacheBytes?: number;
  /** Called with what others record, in their order, and at first of the last minute; not of what this process records. */
  readonly onRecorded?: (observations: readonly Observation[]) => void;
}

const DEFAULT_CACHE_BYTES = 64_000_000;
const READ_EVERY_MS = 250;
/** Longer than anything is live. */
const LIVE_MAX_MS = MINUTE_MS;
/** A period is sealed at the earliest this long after its end: what was recorded in a shorter time is read as frames. */
const FRAMES_LAST_MS = 30 * SECOND_MS;
/** What was read before is no longer what is live. */
const READ_WITHIN_MS = 3 * SECOND_MS;
/** Who records says so each second. */
const HEARTBEAT_WITHIN_MS = 10 * SECOND_MS;
const WORLD: Bbox = { west: -180, south: -90, east: 180, north: 90 };
const ALL = 10_000_000;
const CAUSES: readonly DropCause[] = ['untimely', 'unstorable', 'unwritten'];

/**
 * The past in a database that several services share. One of them records at a time; the others read what it has written.
 * docs/decisions/0037-the-past-in-postgresql.md
 */
export class PostgresPast implements Past {
  readonly #options: PostgresPastOptions;
  readonly #shared: SharedContents;
  #recording: { readonly lease: RecorderLease; readonly recorder: PastRecorder } | undefined;
  /** While nothing was recorded here, and by whoever recorded here before. */
  readonly #dropped: Record<DropCause, number> = { untimely: 0, unstorable: 0, unwritten: 0 };
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(options: PostgresPastOptions) {
    const { postgres, log, cacheBytes = DEFAULT_CACHE_BYTES, onRecorded = () => {} } = options;
    this.#options = options;
    this.#shared = new SharedContents({
      query: postgres.query,
      cacheBytes,
      log,
      onRows: (period, rows) => onRecorded(latestOfTracks(period, rows)),
    });
  }

  /** Opens the past for reading. Rejects with a PostgresFailure. */
  static async open(options: PostgresPastOptions): Promise<PostgresPast> {
    const past = new PostgresPast(options);
    await past.#shared.refresh();
    await past.#tellLastMinute();
    past.#scheduleReading();
    return past;
  }

  /** Whether this process is the one that records, as far as it knows. */
  get isRecording(): boolean {
    return this.#recording !== undefined;
  }

  /** Whether somebody records, and what was recorded until about now is known here. */
  get isCurrent(): boolean {
    return this.#shared.ageMs < READ_WITHIN_MS && this.#shared.heartbeatAgeMs < HEARTBEAT_WITHIN_MS;
  }

  /**
   * Begins to record, if no other process does. Rejects with a PostgresFailure.
   * @param onLost called once, when another process records instead; what is appended from then on is dropped
   * @returns whether it records now
   */
  async record(onLost: () => void): Promise<boolean> {
    if (this.#recording) return true;
    const { postgres, now } = this.#options;
    const lease = await RecorderLease.take(postgres, this.#shared, () => {
      void this.#giveWay().then(onLost);
    });
    if (lease === undefined) return false;
    const store = new PostgresStore(this.#shared, lease, now);
    const recorder = new PastRecorder(this.#shared.contents, store, this.#options, causeOf);
    this.#recording = { lease, recorder };
    recorder.start();
    return true;
  }

  /**
   * What was recorded within the last minute, by whoever did; of what this process appended, what the database has taken. Sorted by time.
   * Rejects while that cannot be known.
   */
  async recordedLately(): Promise<Observation[]> {
    // A connection that is made anew brings what was taken without a word.
    await this.#recording?.lease.session();
    const { now } = this.#options;
    const window = { start: addMs(now(), -LIVE_MAX_MS), end: addMs(now(), LIVE_MAX_MS) };
    const found: Observation[] = [];
    for (const layer of LAYERS) {
      found.push(...(await this.#shared.contents.history(layer, WORLD, window, ALL)).observations);
    }
    return found.sort((a, b) => compareInstants(a.observedAt, b.observedAt));
  }

  /** Writes what was appended, and lets others record. */
  async stopRecording(): Promise<void> {
    const recording = this.#recording;
    this.#recording = undefined;
    if (recording === undefined) return;
    await recording.recorder.close();
    for (const cause of CAUSES) this.#dropped[cause] += recording.recorder.dropped[cause];
    await recording.lease.release();
  }

  append(observations: readonly Observation[]): void {
    if (this.#recording) this.#recording.recorder.append(observations);
    else this.#dropped.unwritten += observations.length;
  }

  async flush(): Promise<void> {
    await this.#recording?.recorder.flush();
  }

  async history(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<PastObservations> {
    await this.#catchUp();
    const found = await this.#shared.contents.history(layer, bbox, window, maxCount);
    // What was deleted since the question was let through is not there any more.
    const since = this.keptSince();
    return since !== undefined && window.start < since ? { ...found, isWhole: false } : found;
  }

  async historyTimes(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<UpstreamInstant[]> {
    await this.#catchUp();
    return this.#shared.contents.historyTimes(layer, bbox, window, maxCount);
  }

  oldestAt(): UpstreamInstant | undefined {
    return this.#shared.contents.oldestAt();
  }

  keptSince(): UpstreamInstant | undefined {
    return this.#shared.contents.segments.keptSince;
  }

  state(): PastState {
    const { segments } = this.#shared.contents;
    return {
      problem: this.#recording?.recorder.problem,
      oldestAt: this.oldestAt(),
      bytes: segments.bytes + this.#shared.frameBytes,
      segments: segments.count,
      damagedSegments: segments.damaged,
      overdue: this.#recording?.recorder.overdue,
      dropped: this.#allDropped(),
    };
  }

  /** Of the one that records, see `PastRecorder`. It runs by itself each second. */
  async maintain(): Promise<void> {
    await this.#recording?.recorder.maintain();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#reading;
    await this.stopRecording();
  }

  #allDropped(): PastState['dropped'] {
    const recorded = this.#recording?.recorder.dropped;
    if (recorded === undefined) return { ...this.#dropped };
    const { untimely, unstorable, unwritten } = this.#dropped;
    return {
      untimely: untimely + recorded.untimely,
      unstorable: unstorable + recorded.unstorable,
      unwritten: unwritten + recorded.unwritten,
    };
  }

  /** What was recorded until now is known here: a window that is over is answered whole. Rejects with a 503. */
  async #catchUp(): Promise<void> {
    if (!this.#recording?.lease.isHeld) await orUnavailable(this.#shared.refresh());
  }

  /** Another process records: what this one recorded is known to whoever hears of what others record. */
  async #giveWay(): Promise<void> {
    await this.stopRecording();
    await this.#shared
      .refresh()
      .then(() => this.#tellLastMinute())
      .catch(() => undefined);
  }

  #scheduleReading(): void {
    this.#timer = setTimeout(async () => {
      this.#reading = this.#readOn();
      await this.#reading;
      if (!this.#isClosed) this.#scheduleReading();
    }, READ_EVERY_MS).unref();
  }

  async #readOn(): Promise<void> {
    if (this.#recording?.lease.isHeld) return;
    const wasBehind = this.#shared.ageMs > FRAMES_LAST_MS;
    try {
      await this.#shared.refresh();
      if (wasBehind) await this.#tellLastMinute();
    } catch (failure) {
      // That the database is lost is said by the connections.
      if (!(failure instanceof PostgresFailure))
        this.#options.log(`past: what others record can't be read: ${failure}`);
    }
  }

  /** What is sealed already is read as no frame. */
  async #tellLastMinute(): Promise<void> {
    const { onRecorded } = this.#options;
    if (onRecorded !== undefined) onRecorded(await this.recordedLately());
  }
}

function causeOf(failure: unknown): PastProblem['cause'] {
  if (failure instanceof LeaseLost) return 'database_lost';
  if (!(failure instanceof PostgresFailure)) return 'disk_failed';
  return failure.isFull ? 'disk_full' : failure.isLost ? 'database_lost' : 'disk_failed';
}
