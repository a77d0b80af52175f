import 'server-only';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import { operationId } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Spending } from '../allowance/ledger.ts';
import type { Work } from '../upstream/circuit.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import { type MayRequest, mayRequestAt, type Wait } from '../upstream/may-request.ts';
import type { Area } from './snapshots.ts';

/** A snapshot older than this many intervals is stale. */
const STALE_INTERVALS = 2.5;
/** No younger snapshot is stale: one slow answer must not make a picture stale that is read every second. */
const STALE_MIN_MS = 10 * SECOND_MS;

/**
 * How often one track is observed: real receivers record a track every 5 to 10 s, the embedded simulator every second, and
 * this is in between. A first estimate; a load corrects it with its first part.
 */
const OBSERVATIONS_PER_TRACK_S = 0.3;

/** Why an area is not refreshed as it should be; it explains the age of what is shown. `mayRequest` decides whether to send a request. */
interface RefreshFailure {
  readonly cooldown: Cooldown;
  /** Since when no refresh has succeeded. */
  readonly since: UpstreamInstant;
}

/** A refresh in progress. */
interface RunningRefresh {
  /** Resolves with the first records that viewers can see of it, or with its end. */
  readonly firstRecords: Promise<void>;
  readonly done: Promise<void>;
}

/** A new place waits until the first views of one of its operators allow it to be read. */
interface Turn {
  /** Operators who may pay for it, and the place of each one's first view of it among all unread views. */
  readonly claims: ReadonlyMap<string, number>;
  /** When it will be read; `undefined` where that is not known yet. */
  readonly at: LocalInstant | undefined;
}

/** One area of the plan, and the state of its refreshes. */
export interface RefreshJob {
  readonly area: Area;
  /** The area's name in the log, which never contains its position. */
  readonly number: number;
  /** How many were begun. */
  refreshes: number;
  /** The operator for whom alone it was planned, who has to wait for new places; `undefined` for all others together. */
  apartFor: string | undefined;
  /** How many views each operator has of it. */
  views: ReadonlyMap<string, number>;
  /** Requests per refresh: as in the last one, or as expected. */
  cost: number;
  intervalMs: number;
  /** Spreads the refreshes of areas that began together; drawn again for each refresh. */
  jitter: number;
  /**
   * When the first request of the latest refresh was sent or, while the refresh runs, when it began. An area that other snapshots
   * cover, even in part, starts with their time of reading. `undefined`: due as soon as a request may be sent, or at its turn.
   */
  startedAt: LocalInstant | undefined;
  /** Purpose of its next refresh. */
  spending: Spending;
  /** `undefined` except for a new place that has to wait. */
  turn: Turn | undefined;
  running: RunningRefresh | undefined;
  /** Whether something in it may have changed since its latest refresh began, where the upstream announces changes. */
  isChanged: boolean;
  /** `undefined` where the latest refresh succeeded, or none was tried. */
  failure: RefreshFailure | undefined;
}

/** The work of its next refresh. */
export function workOf(job: RefreshJob): Work {
  const { area, spending, cost } = job;
  return {
    operation: operationId('live', area.layer),
    spending: isPaced(job) ? spending : 'first-view',
    requests: cost,
  };
}

/** Whether it is refreshed at intervals: a new place that nothing is known of waits for its turn alone. */
export function isPaced({ turn, startedAt }: RefreshJob): boolean {
  return turn === undefined || startedAt !== undefined;
}

/** Those whose area shares some place with the box. */
export function jobsOver(jobs: readonly RefreshJob[], layer: Layer, box: Bbox): readonly RefreshJob[] {
  return jobs.filter(({ area }) => area.layer === layer && intersectBbox(area.bbox, box) !== undefined);
}

/** Their requests per second at their intervals. */
export function requestsPerS(jobs: readonly RefreshJob[]): number {
  return jobs.filter(isPaced).reduce((sum, { cost, intervalMs }) => sum + (cost / intervalMs) * 1000, 0);
}

/**
 * `undefined` where nothing was read.
 * @param over whose areas share some place with the box
 * @param tracks expected in the box
 */
export function expectedObservationsPerS(over: readonly RefreshJob[], tracks: () => number): number | undefined {
  return over.some(isPaced) ? tracks() * OBSERVATIONS_PER_TRACK_S : undefined;
}

/** When its interval ends, whatever the upstream and the allowance permit; `undefined` where it only waits for its turn. */
export function scheduledAt(job: RefreshJob, now: LocalInstant): LocalInstant | undefined {
  const { startedAt, intervalMs, jitter } = job;
  if (!isPaced(job)) return undefined;
  return startedAt === undefined ? now : addMs(startedAt, intervalMs * jitter);
}

/**
 * The job's own wait: for the end of its interval or, as a new place, for its turn. `undefined` if it is due.
 * @param isAnnounced whether the upstream announces changes
 */
export function waitOf(job: RefreshJob, now: LocalInstant, isAnnounced: boolean): Wait | undefined {
  const { turn, isChanged, failure } = job;
  const scheduled = scheduledAt(job, now);
  const until = earlier(scheduled, turn?.at);
  if (until !== undefined && until <= now) return undefined;
  if (scheduled === undefined || until !== scheduled) return { kind: 'waits', reason: 'waits_its_turn', until };
  return {
    kind: 'waits',
    reason: failure?.cooldown.reason ?? (isAnnounced && !isChanged ? 'unchanged' : 'not_due'),
    until,
  };
}

/** Milliseconds until it is due, 0 while it is running; `undefined` where that is not known. @param answer whether a request may be made for it */
export function dueInMs({ running }: RefreshJob, answer: MayRequest, now: LocalInstant): number | undefined {
  if (running) return 0;
  const at = mayRequestAt(answer, now);
  return at && msBetween(now, at);
}

/** Age from which on a picture of the area is stale, in milliseconds. */
export function staleAfterMs({ intervalMs }: RefreshJob): number {
  return Math.min(FRESH_MAX_MS, Math.max(STALE_MIN_MS, STALE_INTERVALS * intervalMs));
}

function earlier(one: LocalInstant | undefined, other: LocalInstant | undefined): LocalInstant | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
