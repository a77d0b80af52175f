import 'server-only';
import { FRESH_MAX_MS } from '#lib/api/layer-state.ts';
import { operationId } from '#lib/contract/operation.ts';
import { type Bbox, bboxSizeDeg2 } from '#lib/geo/bbox.ts';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Spending } from '../allowance/ledger.ts';
import type { Work } from '../upstream/circuit.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import { type MayRequest, mayRequestAt, type Wait } from '../upstream/may-request.ts';
import type { Area } from './snapshots.ts';

/** An older snapshot is stale. */
const STALE_INTERVALS = 2.5;
/** One slow answer must not make an area stale. */
const STALE_MIN_MS = 10 * SECOND_MS;

/** Receivers record a track every 5 to 10 s, the embedded simulator every second. A load corrects the estimate. */
const OBSERVATIONS_PER_TRACK_S = 0.3;
/** Of the box. A city’s traffic says little about its country’s. */
const READ_SHARE_MIN = 1 / 2;

/** Explains the age of what is shown; `mayRequest` decides about requests. */
interface RefreshFailure {
  readonly cooldown: Cooldown;
  /** Since when no refresh has succeeded. */
  readonly since: UpstreamInstant;
}

interface RunningRefresh {
  /** Resolves with the first visible records, or with the end. */
  readonly firstRecords: Promise<void>;
  readonly done: Promise<void>;
}

/** A new place waits for the first views of one of its operators. */
interface Turn {
  /** The rank of each possible payer's first view. */
  readonly claims: ReadonlyMap<string, number>;
  readonly at: LocalInstant | undefined;
}

export interface RefreshJob {
  readonly area: Area;
  /** For the log, which never contains its position. */
  readonly number: number;
  refreshes: number;
  /** The waiting operator for whom it was planned; `undefined` for all others together. */
  apartFor: string | undefined;
  /** By operator. */
  views: ReadonlyMap<string, number>;
  /** As in the last refresh, or as expected. */
  cost: number;
  intervalMs: number;
  /** Drawn for each refresh, so that areas drift apart. */
  jitter: number;
  /**
   * When the latest refresh sent its first request; at first, when other snapshots over it were read. `undefined`: due
   * once a request may be sent, or at its turn.
   */
  startedAt: LocalInstant | undefined;
  /** Of its next refresh. */
  spending: Spending;
  /** `undefined` except for a new place that has to wait. */
  turn: Turn | undefined;
  running: RunningRefresh | undefined;
  /** Set where the upstream announces changes. */
  isChanged: boolean;
  /** `undefined` where the latest refresh succeeded, or none was tried. */
  failure: RefreshFailure | undefined;
}

export function workOf(job: RefreshJob): Work {
  const { area, spending, cost } = job;
  return {
    operation: operationId('live', area.layer),
    spending: isPaced(job) ? spending : 'first-view',
    requests: cost,
  };
}

/** An unread new place waits for its turn instead. */
export function isPaced({ turn, startedAt }: RefreshJob): boolean {
  return turn === undefined || startedAt !== undefined;
}

export function jobsOver(jobs: readonly RefreshJob[], layer: Layer, box: Bbox): readonly RefreshJob[] {
  return jobs.filter(({ area }) => area.layer === layer && intersectBbox(area.bbox, box) !== undefined);
}

export function requestsPerS(jobs: readonly RefreshJob[]): number {
  return jobs.filter(isPaced).reduce((sum, { cost, intervalMs }) => sum + (cost / intervalMs) * 1000, 0);
}

/**
 * As in the part of the box that is read; `undefined` where that is little.
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

/** `undefined` where it only waits for its turn. */
export function scheduledAt(job: RefreshJob, now: LocalInstant): LocalInstant | undefined {
  const { startedAt, intervalMs, jitter } = job;
  if (!isPaced(job)) return undefined;
  return startedAt === undefined ? now : addMs(startedAt, intervalMs * jitter);
}

/** `undefined` if it is due. */
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

/** 0 while running; `undefined` where unknown. */
export function dueInMs({ running }: RefreshJob, answer: MayRequest, now: LocalInstant): number | undefined {
  if (running) return 0;
  const at = mayRequestAt(answer, now);
  return at && msBetween(now, at);
}

export function staleAfterMs({ intervalMs }: RefreshJob): number {
  return Math.min(FRESH_MAX_MS, Math.max(STALE_MIN_MS, STALE_INTERVALS * intervalMs));
}

function earlier(one: LocalInstant | undefined, other: LocalInstant | undefined): LocalInstant | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}
