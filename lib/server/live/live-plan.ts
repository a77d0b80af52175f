import 'server-only';
import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import { LAYERS, type Layer, type Position } from '#lib/model/position.ts';
import { addMs, type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Area, Snapshots } from '../ports/snapshots.ts';
import { coverBox, isPending } from './cover-box.ts';
import type { Demand, Viewport } from './demand.ts';
import { PACE_LIMITS } from './pace/pace-limits.ts';
import { CountGrid } from './plan/count-grid.ts';
import { planAreas } from './plan/plan-areas.ts';
import type { RefreshJob } from './refresh-job.ts';

/** A place with a picture younger than this is not new: it is refreshed on schedule. */
const RECENT_MS = 3 * PACE_LIMITS.minMs;
/** Counts change with every refresh; the plan follows them at this interval. */
const REPLAN_MS = 15_000;

/**
 * The areas to refresh, so that everything that viewers look at is covered with few requests. An area that stays in the plan
 * keeps its job; one that leaves it is not requested any more.
 */
export class LivePlan {
  readonly #demand: Demand;
  readonly #snapshots: Snapshots;
  readonly #counts: Readonly<Record<Layer, CountGrid>> = { rid: new CountGrid(), adsb: new CountGrid() };
  #jobs: ReadonlyMap<string, RefreshJob> = new Map();
  #plannedFor: number | undefined;
  #plannedAt: LocalInstant | undefined;

  constructor(demand: Demand, snapshots: Snapshots) {
    this.#demand = demand;
    this.#snapshots = snapshots;
  }

  get jobs(): ReadonlyMap<string, RefreshJob> {
    return this.#jobs;
  }

  /** Number of tracks expected in a box. */
  expected(layer: Layer, bbox: Bbox): number {
    return this.#counts[layer].expected(bbox);
  }

  learn(layer: Layer, bbox: Bbox, positions: Iterable<Position>): void {
    this.#counts[layer].learn(bbox, positions);
  }

  /** Adapts the plan to the demand. @param upstreamNow the same instant as `now` */
  async follow(now: LocalInstant, upstreamNow: UpstreamInstant): Promise<void> {
    const { version } = this.#demand;
    const recent = this.#plannedAt !== undefined && msBetween(this.#plannedAt, now) < REPLAN_MS;
    if (version === this.#plannedFor && recent) return;
    this.#plannedFor = version;
    this.#plannedAt = now;
    const jobs = new Map<string, RefreshJob>();
    for (const layer of LAYERS) {
      const viewports = this.#demand.viewports(layer);
      for (const bbox of this.#rectangles(layer, viewports)) {
        const area = areaOf(layer, bbox);
        const inside = viewports.filter((viewport) => intersectBbox(viewport.bbox, bbox));
        // Viewports are grown a little before planning; nobody sees what lies in that margin alone.
        if (inside.length === 0) continue;
        const job = this.#jobs.get(area.key) ?? (await this.#newJob(layer, bbox, inside, now, upstreamNow));
        job.viewers = inside.reduce((sum, { viewers }) => sum + viewers, 0);
        jobs.set(area.key, job);
      }
    }
    this.#jobs = jobs;
  }

  #rectangles(layer: Layer, viewports: readonly Viewport[]): readonly Bbox[] {
    const previous = [...this.#jobs.values()].flatMap(({ area }) => (area.layer === layer ? [area.bbox] : []));
    const counts = this.#counts[layer];
    return planAreas(
      viewports.map(({ bbox }) => bbox),
      (bbox) => counts.expected(bbox),
      previous,
    );
  }

  /** Whether a new area is urgent depends on what its viewers already see of it. */
  async #newJob(
    layer: Layer,
    bbox: Bbox,
    viewports: readonly Viewport[],
    now: LocalInstant,
    upstreamNow: UpstreamInstant,
  ): Promise<RefreshJob> {
    const recent = (await this.#snapshots.intersecting(layer, bbox)).filter(
      (snapshot) => !isPending(snapshot) && msBetween(snapshot.fetchedAt, upstreamNow) < RECENT_MS,
    );
    let oldest = upstreamNow;
    let isCovered = true;
    for (const viewport of viewports) {
      const seen = intersectBbox(viewport.bbox, bbox);
      if (!seen) continue;
      const { parts, missing } = coverBox(seen, recent);
      if (missing.length > 0) isCovered = false;
      for (const { snapshot } of parts) if (snapshot.fetchedAt < oldest) oldest = snapshot.fetchedAt;
    }
    return {
      area: areaOf(layer, bbox),
      viewers: 0,
      cost: 1,
      intervalMs: PACE_LIMITS.minMs,
      jitter: 1,
      startedAt: isCovered ? addMs(now, -msBetween(oldest, upstreamNow)) : undefined,
      spending: isCovered ? 'scheduled' : 'first-view',
      running: undefined,
      failure: undefined,
    };
  }
}

export function areaOf(layer: Layer, bbox: Bbox): Area {
  return { key: `${layer} ${formatBbox(bbox)}`, layer, bbox };
}
