import 'server-only';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import { operationId } from '#lib/contract/operation.ts';
import { type Bbox, bboxSizeDeg2, intersectBbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Spending } from '../allowance/ledger.ts';
import type { PlannedRequests } from '../upstream/circuit.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import { type MayRequest, mayRequestAt, type Wait } from '../upstream/may-request.ts';
import { MIN_INTERVAL_MS } from './pace/refresh-pace.ts';
import type { LiveArea } from './snapshots.ts';

/** A snapshot is stale after this many intervals. */
const STALE_INTERVALS = 2.5;
/** One slow answer must not make an area stale. */
const STALE_MIN_MS = 10 * SECOND_MS;

/** Receivers record a track every 5 to 10 s, the embedded simulator every second. A load corrects the estimate. */
const OBSERVATIONS_PER_TRACK_S = 0.3;
/** The part of a box that must be read: a city’s traffic says little about its country’s. */
const READ_SHARE_MIN = 1 / 2;

/** Explains the age of what is shown; `mayRequest` decides about requests. */
interface RefreshFailure {
  readonly cooldown: Cooldown;
  /** No refresh has succeeded since this time. */
  readonly since: UpstreamInstant;
}

export interface RunningRefresh {
  /** Resolves with the first visible records, or with the end. */
  readonly firstRecords: Promise<void>;
  readonly done: Promise<void>;
}

/** A new place waits until the first view of one of its operators is due. */
export interface QueuedView {
  /** The rank of each possible payer's first view. */
  readonly claims: ReadonlyMap<string, number>;
  /** When it is due; `undefined` where that is unknown. */
  readonly at: LocalInstant | undefined;
}

/** An area of the plan, as every server sees it. */
export interface RefreshJob {
  readonly area: LiveArea;
  /** Names the area in the log, which never contains its position. */
  readonly number: number;
  /** Refreshes so far, for the log. */
  readonly refreshes: number;
  /** The waiting operator for whom it was planned; `undefined` for all others together. */
  readonly apartFor: string | undefined;
  /** Number of views by operator. */
  readonly views: ReadonlyMap<string, number>;
  /** Requests of a refresh, as in the last one, or as expected. */
  readonly cost: number;
  readonly intervalMs: number;
  /** Factor of the interval, drawn for each refresh, so that areas drift apart. */
  readonly jitter: number;
  /**
   * When the latest refresh sent its first request; at first, when other snapshots over it were read. `undefined`: due
   * once a request may be sent, or as a queued view.
   */
  readonly startedAt: LocalInstant | undefined;
  /** The budget that pays for the next refresh. */
  readonly spending: Spending;
  /** `undefined` except for a new place that has to wait. */
  readonly queued: QueuedView | undefined;
  readonly running: RunningRefresh | undefined;
  /** Whether the upstream, where it announces changes, has announced one since the latest refresh. */
  readonly isChanged: boolean;
  /** `undefined` where the latest refresh succeeded, or none was tried. */
  readonly failure: RefreshFailure | undefined;
}

/** A job about which nothing is known but its area. */
export function plainJob(area: LiveArea): RefreshJob {
  return {
    area,
    number: 0,
    refreshes: 0,
    apartFor: undefined,
    views: new Map(),
    cost: 1,
    intervalMs: MIN_INTERVAL_MS,
    jitter: 1,
    startedAt: undefined,
    spending: 'scheduled',
    queued: undefined,
    running: undefined,
    isChanged: true,
    failure: undefined,
  };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A job of this server's own plan. Each method is one event of its life, and nothing else changes it. */
export class OwnJob {
  readonly #job: Mutable<RefreshJob>;

  constructor(known: Pick<RefreshJob, 'area' | 'number' | 'cost' | 'startedAt' | 'queued'>) {
    this.#job = { ...plainJob(known.area), ...known };
  }

  /** The state of the job: always the same object, with the values of now. */
  get job(): RefreshJob {
    return this.#job;
  }

  planned(views: RefreshJob['views'], apartFor: string | undefined, queued: QueuedView | undefined): void {
    this.#job.views = views;
    this.#job.apartFor = apartFor;
    this.#job.queued = queued;
  }

  paced(intervalMs: number): void {
    this.#job.intervalMs = intervalMs;
  }

  queuedUntil(at: LocalInstant | undefined): void {
    const { queued } = this.#job;
    if (queued) this.#job.queued = { ...queued, at };
  }

  /** The first view of the job may be read now. */
  admitted(): void {
    this.#job.queued = undefined;
    this.#job.spending = 'first-view';
    this.#job.startedAt = undefined;
  }

  /** An operator asks for a failed area: it is due at once. */
  retried(): void {
    if (!this.#job.failure || this.#job.queued) return;
    this.#job.startedAt = undefined;
    this.#job.spending = 'first-view';
  }

  announced(): void {
    this.#job.isChanged = true;
  }

  started(now: LocalInstant, jitter: number): void {
    this.#job.refreshes++;
    this.#job.startedAt = now;
    this.#job.isChanged = false;
    this.#job.jitter = jitter;
  }

  runs(running: RunningRefresh): void {
    this.#job.running = running;
  }

  /** The interval begins when the request is sent, except after the upstream's clock was set back. */
  sent(at: LocalInstant, now: LocalInstant): void {
    const { startedAt } = this.#job;
    if (startedAt !== undefined && at > startedAt && at <= now) this.#job.startedAt = at;
  }

  /** @param pages `undefined` where it was not read to its end */
  read(pages: number | undefined): void {
    this.#job.spending = 'scheduled';
    this.#job.queued = undefined;
    if (pages !== undefined) this.#job.cost = pages;
  }

  ended(): void {
    this.#job.running = undefined;
  }

  succeeded(): void {
    this.#job.failure = undefined;
  }

  failed(cooldown: Cooldown, now: UpstreamInstant): void {
    this.#job.failure = { cooldown, since: this.#job.failure?.since ?? now };
  }

  /** No request was sent: it stays due until the cooldown ends or, without a known end, for another interval. */
  skipped(cooldown: Cooldown, upstreamNow: UpstreamInstant, now: LocalInstant): void {
    this.failed(cooldown, upstreamNow);
    this.#job.startedAt = cooldown.kind === 'timed' ? undefined : now;
  }
}

export function requestsOf(job: RefreshJob): PlannedRequests {
  const { area, spending, cost } = job;
  return {
    operation: operationId('live', area.layer),
    spending: isPaced(job) ? spending : 'first-view',
    requests: cost,
  };
}

/** Whether it has an interval. A new place without a snapshot waits in the queue instead. */
export function isPaced({ queued, startedAt }: RefreshJob): boolean {
  return queued === undefined || startedAt !== undefined;
}

export function jobsOver(jobs: readonly RefreshJob[], layer: Layer, box: Bbox): readonly RefreshJob[] {
  return jobs.filter(({ area }) => area.layer === layer && intersectBbox(area.bbox, box) !== undefined);
}

export function requestsPerS(jobs: readonly RefreshJob[]): number {
  return jobs.filter(isPaced).reduce((sum, { cost, intervalMs }) => sum + (cost / intervalMs) * 1000, 0);
}

/**
 * An estimate for a box from the part of it that is read; `undefined` where that part is small.
 * @param over jobs over the box
 * @param tracks expected in a box
 */
export function expectedObservationsPerS(
  over: readonly RefreshJob[],
  box: Bbox,
  tracks: (box: Bbox) => number,
): number | undefined {
  const read = over.filter(isPaced).flatMap(({ area }) => intersectBbox(area.bbox, box) ?? []);
  const share = read.reduce((sum, part) => sum + bboxSizeDeg2(part), 0) / bboxSizeDeg2(box);
  if (share < READ_SHARE_MIN) return undefined;
  return (read.reduce((sum, part) => sum + tracks(part), 0) / share) * OBSERVATIONS_PER_TRACK_S;
}

/** When the job is due; `undefined` where it only waits in the queue. */
export function scheduledAt(job: RefreshJob, now: LocalInstant): LocalInstant | undefined {
  const { startedAt, intervalMs, jitter } = job;
  if (!isPaced(job)) return undefined;
  return startedAt === undefined ? now : addMs(startedAt, intervalMs * jitter);
}

/** Why it is not refreshed yet; `undefined` if it is due. */
export function waitOf(job: RefreshJob, now: LocalInstant, isAnnounced: boolean): Wait | undefined {
  const { queued, isChanged, failure } = job;
  const scheduled = scheduledAt(job, now);
  const until = earlier(scheduled, queued?.at);
  if (until !== undefined && until <= now) return undefined;
  if (scheduled === undefined || until !== scheduled) return { kind: 'waits', reason: 'waits_its_turn', until };
  return {
    kind: 'waits',
    reason: failure?.cooldown.reason ?? (isAnnounced && !isChanged ? 'unchanged' : 'not_due'),
    until,
  };
}

/** Milliseconds until its next refresh: 0 while one runs, `undefined` where that is unknown. */
export function dueInMs({ running }: RefreshJob, answer: MayRequest, now: LocalInstant): number | undefined {
  if (running) return 0;
  const at = mayRequestAt(answer, now);
  return at && msBetween(now, at);
}

export function staleAfterMs({ intervalMs }: RefreshJob): number {
  return Math.min(FRESH_MAX_MS, Math.max(STALE_MIN_MS, STALE_INTERVALS * intervalMs));
}

export function earlier(one: LocalInstant | undefined, other: LocalInstant | undefined): LocalInstant | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
