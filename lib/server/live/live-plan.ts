import 'server-only';
import { type Bbox, intersectBbox } from '#lib/geo/bbox.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Unread, Viewport } from './plan/demand.ts';
import type { DemandOfAll } from './plan/demand-of-all.ts';
import type { Densities } from './plan/densities.ts';
import { planAreas } from './plan/plan-areas.ts';
import { requestCost } from './plan/request-cost.ts';
import { OwnJob, type QueuedView, type RefreshJob } from './refresh-job.ts';
import { areaOf, coverBox, isRefreshPending, type Snapshots } from './snapshots.ts';

/** A place with a younger picture is not new: it is refreshed on schedule. */
const RECENT_MS = 15 * SECOND_MS;
/** The plan follows counts, which change with every refresh. */
const REPLAN_MS = 15_000;

interface WantedArea {
  readonly bbox: Bbox;
  /** The waiting operator who alone needs it. */
  readonly apartFor: string | undefined;
  readonly viewports: readonly Viewport[];
}

/** The areas of this server's plan. It follows demand and densities; an area that stays in the plan keeps its job. */
export class LivePlan {
  readonly #demand: DemandOfAll;
  readonly #snapshots: Snapshots;
  readonly #densities: Densities;
  #own: ReadonlyMap<string, OwnJob> = new Map();
  #numbered = 0;
  #plannedFor: number | undefined;
  #plannedAt: LocalInstant | undefined;

  constructor(demand: DemandOfAll, snapshots: Snapshots, densities: Densities) {
    this.#demand = demand;
    this.#snapshots = snapshots;
    this.#densities = densities;
  }

  get own(): readonly OwnJob[] {
    return [...this.#own.values()];
  }

  get jobs(): readonly RefreshJob[] {
    return Array.from(this.#own.values(), ({ job }) => job);
  }

  /** The keys of the planned areas. */
  get keys(): ReadonlySet<string> {
    return new Set(this.#own.keys());
  }

  expected(layer: Layer, bbox: Bbox): number {
    return this.#densities.expected(layer, bbox);
  }

  /** @param upstreamNow the same instant as `now` */
  follow(waiting: ReadonlySet<string>, now: LocalInstant, upstreamNow: UpstreamInstant): void {
    const { version } = this.#demand;
    const recent = this.#plannedAt !== undefined && msBetween(this.#plannedAt, now) < REPLAN_MS;
    if (version !== this.#plannedFor || !recent) {
      this.#plannedFor = version;
      this.#plannedAt = now;
      this.#plan(waiting, now, upstreamNow);
    }
    // Later views have no area yet.
    if (this.#demand.version === version) noteRead(this.#demand, this.jobs);
  }

  #plan(waiting: ReadonlySet<string>, now: LocalInstant, upstreamNow: UpstreamInstant): void {
    const planned = new Map<string, OwnJob>();
    for (const layer of LAYERS) {
      for (const [key, { bbox, apartFor, viewports }] of this.#areas(layer, waiting)) {
        const own = this.#own.get(key) ?? this.#newJob(layer, bbox, viewports, now, upstreamNow);
        const { queued } = own.job;
        own.planned(sumOf(viewports.map(({ views }) => views)), apartFor, queued && queuedFor(viewports, queued));
        planned.set(key, own);
      }
    }
    this.#own = planned;
  }

  #areas(layer: Layer, waiting: ReadonlySet<string>): ReadonlyMap<string, WantedArea> {
    const areas = new Map<string, WantedArea>();
    // Joined with another's place, a waiting operator would pay for both.
    const groups = Map.groupBy(this.#demand.viewports(layer), (viewport) => waitsAlone(viewport, waiting));
    for (const apartFor of new Set([undefined, ...groups.keys()])) {
      const viewports = groups.get(apartFor) ?? [];
      for (const bbox of this.#rectangles(layer, viewports, apartFor, waiting)) {
        const inside = viewports.filter((viewport) => intersectBbox(viewport.bbox, bbox));
        // Viewports are grown before planning: the margin has no viewers.
        if (inside.length === 0) continue;
        const { key } = areaOf(layer, bbox);
        // Where two groups need the same area, one job reads it for both.
        const other = areas.get(key);
        areas.set(
          key,
          other
            ? { bbox, apartFor: undefined, viewports: [...other.viewports, ...inside] }
            : { bbox, apartFor, viewports: inside },
        );
      }
    }
    return areas;
  }

  /** Areas over the viewports: previous ones and those already paid for come first. */
  #rectangles(
    layer: Layer,
    viewports: readonly Viewport[],
    apartFor: string | undefined,
    waiting: ReadonlySet<string>,
  ): readonly Bbox[] {
    const previous = this.jobs.flatMap((job) => {
      const group = job.apartFor !== undefined && waiting.has(job.apartFor) ? job.apartFor : undefined;
      const isPaid = !job.queued && job.spending === 'first-view';
      return job.area.layer === layer && (group === apartFor || isPaid) ? [job.area.bbox] : [];
    });
    return planAreas(
      viewports.map(({ bbox }) => bbox),
      (bbox) => this.#densities.expected(layer, bbox),
      previous,
    );
  }

  /** An area is new if a new viewer sees nothing of it, or nothing recent. */
  #newJob(
    layer: Layer,
    bbox: Bbox,
    viewports: readonly Viewport[],
    now: LocalInstant,
    upstreamNow: UpstreamInstant,
  ): OwnJob {
    const known = this.#snapshots.intersecting(layer, bbox).filter((snapshot) => !isRefreshPending(snapshot));
    const recent = known.filter(({ fetchedAt }) => msBetween(fetchedAt, upstreamNow) < RECENT_MS);
    let oldest: UpstreamInstant | undefined;
    let isNew = false;
    for (const viewport of viewports) {
      const seen = intersectBbox(viewport.bbox, bbox);
      if (!seen) continue;
      const isUnread = viewport.unread.size > 0 && coverBox(seen, recent).missing.length > 0;
      isNew ||= isUnread;
      // A waiting place is not refreshed for older snapshots, or sooner for earlier viewers.
      if (isUnread && !viewport.isRead) continue;
      for (const { snapshot } of coverBox(seen, known).parts) {
        if (oldest === undefined || snapshot.fetchedAt < oldest) oldest = snapshot.fetchedAt;
      }
    }
    return new OwnJob({
      area: areaOf(layer, bbox),
      number: ++this.#numbered,
      cost: requestCost(this.expected(layer, bbox)),
      startedAt: oldest && addMs(now, -msBetween(oldest, upstreamNow)),
      queued: isNew ? queuedFor(viewports, undefined) : undefined,
    });
  }
}

/** The operator who waits for the viewport before all others; `undefined` if one of its viewers need not wait. */
function waitsAlone({ isRead, unread }: Viewport, waiting: ReadonlySet<string>): string | undefined {
  if (isRead || ![...unread.keys()].every((operator) => waiting.has(operator))) return undefined;
  return [...unread].reduce((first, each) => (each[1] < first[1] ? each : first))[0];
}

/** `undefined` if no operator waits. @param before operators who still wait keep their place */
function queuedFor(viewports: readonly Viewport[], before: QueuedView | undefined): QueuedView | undefined {
  const claims = new Map<string, number>();
  for (const { unread } of viewports) {
    for (const [operator, place] of unread) claims.set(operator, Math.min(place, claims.get(operator) ?? place));
  }
  for (const [operator, place] of before?.claims ?? []) {
    const now = claims.get(operator);
    if (now !== undefined) claims.set(operator, Math.min(place, now));
  }
  return claims.size > 0 ? { claims, at: before?.at } : undefined;
}

function sumOf(counts: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const count of counts) for (const [name, each] of count) sums.set(name, (sums.get(name) ?? 0) + each);
  return sums;
}

/** Until it waits for no area, a view keeps their best place. @param jobs of a plan for all of the demand */
export function noteRead(
  demand: { follow(rankOf: (view: Unread) => number | undefined): void },
  jobs: readonly RefreshJob[],
): void {
  const awaited = jobs.filter(({ queued, spending }) => queued || spending === 'first-view');
  demand.follow(({ operator, boxes, layers, unreadSince }) => {
    const own = awaited.filter(
      ({ area, apartFor }) =>
        (apartFor === undefined || apartFor === operator) &&
        layers.includes(area.layer) &&
        boxes.some((box) => intersectBbox(box, area.bbox)),
    );
    if (own.length === 0) return undefined;
    return Math.min(unreadSince, Math.max(...own.map(({ queued }) => queued?.claims.get(operator) ?? unreadSince)));
  });
}
