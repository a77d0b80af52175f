import 'server-only';
import { FAILURES, LIVE_GAPS, type LiveReason, REASON_OF_RECEPTION, RECEPTIONS } from '#lib/api/layer-reason.ts';
import { FRESH_MAX_MS, type LayerState, receptionAnswer } from '#lib/api/layer-state.ts';
import type { LiveLayerAnswer, ViewAnswer } from '#lib/api/live-answer.ts';
import { type Bbox, bboxContains, intersectBbox } from '#lib/geo/bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { receptionByPlace, worstReception } from '#lib/model/reception.ts';
import { formatInstant, isSetBack, type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { cooldownEnd } from '../upstream/cooldown.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { isPaced, type RefreshJob, staleAfterMs } from './refresh-job.ts';
import { type AreaSnapshot, type CoveredPart, coverBox, isRefreshPending, type Snapshots } from './snapshots.ts';

/** A layer has the worst of its areas' states. */
const SEVERITY: Readonly<Record<LayerState, number>> = {
  failed: 6,
  denied: 5,
  limited: 4,
  stale: 3,
  unequipped: 2,
  waiting: 1,
  fresh: 0,
};

export interface LayerView {
  /** The parts of the view, each snapshot once. */
  readonly parts: readonly CoveredPart[];
  readonly answer: LiveLayerAnswer;
}

export interface LiveView {
  readonly answer: ViewAnswer;
  readonly layers: ReadonlyMap<Layer, LayerView>;
}

interface Served {
  readonly jobs: readonly RefreshJob[];
  readonly operator: string;
}

/** @param boxes none crosses 180° */
export function viewLayer(
  layer: Layer,
  boxes: readonly Bbox[],
  served: Served,
  snapshots: Snapshots,
  clock: UpstreamClock,
): LayerView {
  const parts = new Map<string, { snapshot: AreaSnapshot; regions: Bbox[] }>();
  const missing: Bbox[] = [];
  for (const box of boxes) {
    const cover = coverBox(box, snapshots.intersecting(layer, box));
    missing.push(...cover.missing);
    for (const { snapshot, regions } of cover.parts) {
      // Only the last page shows that a place is empty.
      if (isRefreshPending(snapshot) && !hasRecordsIn(snapshot, regions)) {
        missing.push(...regions);
        continue;
      }
      const part = parts.get(snapshot.area.key);
      if (part) part.regions.push(...regions);
      else parts.set(snapshot.area.key, { snapshot, regions: [...regions] });
    }
  }
  const shown = [...parts.values()];
  return { parts: shown, answer: layerAnswer(shown, missing, served, clock) };
}

function hasRecordsIn({ positions }: AreaSnapshot, regions: readonly Bbox[]): boolean {
  return positions.values().some(({ lon, lat }) => regions.some((region) => bboxContains(region, lon, lat)));
}

function layerAnswer(
  parts: readonly CoveredPart[],
  missing: readonly Bbox[],
  { jobs, operator }: Served,
  clock: UpstreamClock,
): LiveLayerAnswer {
  const now = clock.nowForAges();
  const hasRecords = parts.length > 0;
  const shown = hasRecords ? 'withRecords' : 'without';
  let worst: LayerState = 'fresh';
  let worstFailure: RefreshJob['failure'];
  for (const { failure } of jobs) {
    const state = failure && FAILURES[failure.cooldown.reason].state[shown];
    if (state === undefined || SEVERITY[state] <= SEVERITY[worst]) continue;
    worst = state;
    worstFailure = failure;
  }
  // A picture is as old as its oldest part; an unread part has no age.
  const oldest = parts.reduce<UpstreamInstant | undefined>(
    (min, { snapshot }) => (min === undefined || snapshot.fetchedAt < min ? snapshot.fetchedAt : min),
    undefined,
  );
  const maxAgeMs = Math.min(FRESH_MAX_MS, ...jobs.filter(isPaced).map(staleAfterMs));
  // A clock was set back since: the age is unknown.
  const isUndated = parts.some(({ snapshot }) => isSetBack(snapshot.fetchedAt, now));
  const isLate = isUndated || (oldest !== undefined && msBetween(oldest, now) > maxAgeMs);
  const stateByAge = isLate ? 'stale' : missing.length > 0 ? LIVE_GAPS.not_read_yet.state[shown] : 'fresh';
  const isWaiting = (isLate || missing.length > 0) && isQueuedFor(jobs, operator);
  const text = (instant: UpstreamInstant | undefined) => (instant === undefined ? null : formatInstant(instant));
  const receiving = receptionOf(parts, missing, jobs);
  const gaps = [
    ...missing.map((box) => ({ bbox: corners(box), reason: whyMissing(box, jobs, operator) })),
    ...parts.flatMap(({ snapshot: { incomplete }, regions }) =>
      incomplete === undefined ? [] : regions.map((box) => ({ bbox: corners(box), reason: incomplete })),
    ),
    ...receiving.gaps,
  ];
  const incomplete = parts.find(({ snapshot }) => snapshot.incomplete)?.snapshot.incomplete;
  const isQueuedOnly = !worstFailure && receiving.state === 'fresh' && isWaiting && !incomplete;
  const until = worstFailure
    ? cooldownEnd(worstFailure.cooldown)
    : isQueuedOnly
      ? latestQueuedUntil(jobs, operator)
      : undefined;
  return {
    state: worstFailure ? worst : worseState(stateByAge, receiving.state),
    fetched_at: text(oldest),
    partial: hasRecords && gaps.length > 0,
    gaps,
    reason:
      worstFailure?.cooldown.reason ?? (isQueuedOnly ? 'waits_its_turn' : (receiving.reason ?? incomplete ?? null)),
    failing_since: text(worstFailure ? worstFailure.since : receiving.lostSince),
    until: text(until && clock.fromLocal(until)),
    unreadable: parts.reduce((sum, { snapshot }) => sum + snapshot.unreadable, 0),
    reception: receptionAnswer(receiving.reception),
  };
}

interface Receiving {
  readonly reception: Reception | undefined;
  /** `fresh` where the reception does not change the state. */
  readonly state: LayerState;
  readonly reason: LiveReason | undefined;
  readonly lostSince: UpstreamInstant | undefined;
  readonly gaps: LiveLayerAnswer['gaps'];
}

interface ReceivedPart {
  readonly regions: readonly Bbox[];
  readonly reception: Reception | undefined;
}

/** Where refreshes fail, the reception is not known. */
function receptionOf(parts: readonly CoveredPart[], missing: readonly Bbox[], jobs: readonly RefreshJob[]): Receiving {
  const failing = jobs.filter(({ failure }) => failure);
  const known = parts.flatMap(({ snapshot: { area, reception }, regions }): readonly ReceivedPart[] => {
    const isKnown = !failing.some((job) => regions.some((region) => intersectBbox(job.area.bbox, region)));
    return receptionByPlace(isKnown ? reception : undefined, area.bbox).flatMap((place) => {
      const within = regions.flatMap((region) => intersectBbox(region, place.bbox) ?? []);
      return within.length === 0 ? [] : [{ regions: within, reception: place.reception }];
    });
  });
  const reception = worstReception(known.map((each) => each.reception));
  const isWhole = missing.length === 0 && known.every((each) => each.reception?.state === reception?.state);
  const reason = reception && REASON_OF_RECEPTION[reception.state];
  // A part that is not equipped is a gap, as one where some receivers are down.
  const isFailing = reason === 'receivers_lost' || (reason === 'not_equipped' && isWhole);
  const isShown = () => parts.some(({ snapshot, regions }) => hasRecordsIn(snapshot, regions));
  return {
    reception,
    state: isFailing ? RECEPTIONS[reason].state[isShown() ? 'withRecords' : 'without'] : 'fresh',
    reason,
    lostSince: reason === 'receivers_lost' ? reception?.since : undefined,
    gaps: known.flatMap(({ regions, reception }) => {
      const missed = reception && REASON_OF_RECEPTION[reception.state];
      // Where all of a view is not received, its state says so.
      if (missed === undefined || (isFailing && isWhole)) return [];
      return regions.map((region) => ({ bbox: corners(region), reason: missed }));
    }),
  };
}

function worseState(one: LayerState, other: LayerState): LayerState {
  return SEVERITY[one] < SEVERITY[other] ? other : one;
}

function whyMissing(box: Bbox, jobs: readonly RefreshJob[], operator: string): LiveReason {
  const over = jobs.filter(({ area }) => intersectBbox(area.bbox, box));
  const reason = over.find(({ failure }) => failure)?.failure?.cooldown.reason;
  return reason ?? (isQueuedFor(over, operator) ? 'waits_its_turn' : 'not_read_yet');
}

/** An unplanned place belongs to a replaced view: it waits until requested again. */
function isQueuedFor(jobs: readonly RefreshJob[], operator: string): boolean {
  return jobs.length === 0 || jobs.some(({ queued }) => queued?.claims.has(operator));
}

/** When the last of the operator's queued areas is due; `undefined` where that is unknown. */
function latestQueuedUntil(jobs: readonly RefreshJob[], operator: string): LocalInstant | undefined {
  let latest: LocalInstant | undefined;
  for (const { queued } of jobs) {
    if (!queued?.claims.has(operator) || queued.at === undefined) continue;
    if (latest === undefined || queued.at > latest) latest = queued.at;
  }
  return latest;
}
