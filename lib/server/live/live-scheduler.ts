import 'server-only';
import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Bbox } from '#lib/geo/bbox.ts';
import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { addMs, type Instant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Lease, Leases } from '../ports/lease.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { AreaSnapshot, Snapshots } from '../ports/snapshots.ts';
import { Budget } from '../upstream/budget.ts';
import type { LivePageQuery } from '../upstream/question.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { type AreaWork, dueAt } from './area-work.ts';
import { Demand, type ViewerPage } from './demand.ts';
import { LivePlan } from './live-plan.ts';
import type { DemandProfile } from './pace/demand-profile.ts';
import { PaceGate } from './pace/pace-gate.ts';
import { PACE_LIMITS } from './pace/pace-limits.ts';
import { paceRate } from './pace/pace-rate.ts';
import { jittered, refreshIntervals } from './pace/refresh-intervals.ts';
import { type Refresh, refreshArea } from './refresh-area.ts';

/** Longer than any refresh may take: who holds the lease and is gone delays the area by no more. */
const LEASE_MS = MINUTE_MS;
/** Snapshots of areas that nobody plans any more still cover panning viewers, until their records have expired anyway. */
const SNAPSHOT_KEPT_MS = 3 * MINUTE_MS;
/** While areas are watched the scheduler looks at them at least this often: holds end, keys change. */
const LONGEST_TURN_MS = 1000;

/**
 * How often one track is observed: between the recordings of other receivers, a track every 5 to 10 s, and the embedded
 * simulator's every second. A first guess; loading corrects it at its first part.
 */
const OBSERVATIONS_PER_TRACK_S = 0.3;

export interface LiveSchedulerOptions {
  readonly client: UpstreamClient;
  readonly ledger: Ledger;
  readonly leases: Leases;
  readonly snapshots: Snapshots;
  readonly profile: DemandProfile;
  /** Our own clock. */
  readonly now: () => Instant;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Told after each turn in how many milliseconds the next is due; `undefined`: when somebody looks again. */
  readonly afterTurn?: (nextTickInMs: number | undefined) => void;
}

/**
 * Decides what is asked of the upstream next. Viewers say what they look at; areas are refreshed as often as the allowance
 * permits, those with many viewers more often, those without any not at all. It never sleeps by itself: `tick` is called
 * when something changed and when `nextTickInMs` have passed.
 */
export class LiveScheduler {
  readonly demand = new Demand();
  readonly #options: LiveSchedulerOptions;
  readonly #plan: LivePlan;
  readonly #gate = new PaceGate();
  #turn: Promise<void> | undefined;
  #anotherTurn = false;
  /** The demand that the latest turn planned for. */
  #plannedVersion = 0;
  #ratePerS: number | undefined;
  #isPaced = false;

  constructor(options: LiveSchedulerOptions) {
    this.#options = options;
    this.#plan = new LivePlan(this.demand, options.snapshots);
  }

  /** Areas that are now asked for. */
  get works(): readonly AreaWork[] {
    return [...this.#plan.works.values()];
  }

  /** Requests a second that the allowance permits; `undefined` where nothing is known of it. */
  get ratePerS(): number | undefined {
    return this.#ratePerS;
  }

  /** Somebody looks at these boxes: they are planned for, and what nobody has read yet is asked for at once. */
  look(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[]): Promise<void> {
    const { version } = this.demand;
    this.demand.heard(viewer, boxes, layers, this.#options.now());
    if (this.demand.version !== version) return this.tick();
    // Who looks at the same came first, and the turn that plans for both may still be under way.
    const isPlanned = this.demand.version === this.#plannedVersion;
    return isPlanned ? Promise.resolve() : (this.#turn ?? Promise.resolve());
  }

  /** Observations a second that are received in a box, judged by how many tracks are; `undefined` where none was read. */
  expectedPerSecond(layer: Layer, box: Bbox): number | undefined {
    const isRead = this.worksOver(layer, box).length > 0;
    return isRead ? this.#plan.expected(layer, box) * OBSERVATIONS_PER_TRACK_S : undefined;
  }

  /** Areas of the plan that show something of the box. */
  worksOver(layer: Layer, box: Bbox): readonly AreaWork[] {
    return this.works.filter(({ area }) => area.layer === layer && intersectBbox(area.bbox, box) !== undefined);
  }

  /** Asks for the areas of a layer now, whatever they were waiting for. */
  retryNow(layer: Layer): void {
    for (const work of this.works) {
      if (work.area.layer !== layer) continue;
      work.startedAt = undefined;
      work.spending = 'arrival';
    }
    void this.tick();
  }

  /** Milliseconds until something is due, 0 where something is; `undefined` where nobody looks at anything. */
  nextTickInMs(): number | undefined {
    if (this.demand.viewers === 0) return undefined;
    const now = this.#options.now();
    let inMs = LONGEST_TURN_MS;
    for (const work of this.#plan.works.values()) {
      if (!work.refreshing) inMs = Math.min(inMs, dueAt(work, now) - now);
    }
    return Math.max(0, inMs);
  }

  /** One turn: forgets who is gone, plans, and starts what is due. Ends when that is started, not when it is done. */
  tick(): Promise<void> {
    this.#anotherTurn = true;
    this.#turn ??= this.#turns().finally(() => {
      this.#turn = undefined;
      this.#options.afterTurn?.(this.nextTickInMs());
    });
    return this.#turn;
  }

  /** Ends with the refreshes that are under way. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#turn;
      const underWay = this.works.flatMap(({ refreshing }) => refreshing ?? []);
      if (underWay.length === 0 && !this.#turn) return;
      await Promise.all(underWay);
    }
  }

  async #turns(): Promise<void> {
    while (this.#anotherTurn) {
      // Viewers who come at the same moment are planned for together, and not the first one alone.
      await nextLoop();
      this.#anotherTurn = false;
      await this.#oneTurn();
    }
  }

  async #oneTurn(): Promise<void> {
    const { client, now: clock, snapshots, profile } = this.#options;
    const now = clock();
    const upstreamNow = client.clock.now();
    this.demand.forgetSilent(now);
    const { version } = this.demand;
    profile.record(upstreamNow, this.demand.viewers > 0);
    await this.#plan.follow(now, upstreamNow);
    await this.#pace(upstreamNow);
    const due = this.works.filter((work) => !work.refreshing && dueAt(work, now) <= now);
    for (const work of due.sort(byUrgency(now))) {
      // A cheaper one that comes later would pass the gate for ever before the one that is refused.
      if (!this.#start(work, now)) break;
    }
    this.#plannedVersion = version;
    await snapshots.forgetBefore(addMs(upstreamNow, -SNAPSHOT_KEPT_MS), new Set(this.#plan.works.keys()));
  }

  async #pace(upstreamNow: Instant): Promise<void> {
    const { ledger, profile } = this.#options;
    const works = this.works;
    const state = await ledger.state(upstreamNow);
    const rate = paceRate(state, profile.expectedSeconds(upstreamNow));
    this.#ratePerS = rate;
    // Where nothing is known the ledger lets one request out, and where nothing is left none: it says so better than a pause.
    this.#isPaced = rate !== undefined && rate > 0;
    const intervals = this.#isPaced ? refreshIntervals(works, rate as number, PACE_LIMITS) : [];
    for (const [index, work] of works.entries()) work.intervalMs = intervals[index] ?? unpacedIntervalMs(rate);
    const largest = Math.max(0, ...works.map(({ cost }) => cost));
    this.#gate.setPace(rate ?? 0, largest, upstreamNow);
  }

  /** False where its turn has not come yet. */
  #start(work: AreaWork, now: Instant): boolean {
    const upstreamNow = this.#options.client.clock.now();
    const isFree = work.spending === 'arrival' || !this.#isPaced;
    if (!isFree && !this.#gate.pass(work.cost, upstreamNow)) return false;
    const charged = isFree ? this.#gate.charge(work.cost, upstreamNow) : work.cost;
    work.startedAt = now;
    work.jitter = jittered(1, this.#options.random);
    work.refreshing = this.#refreshAlone(work, charged).finally(() => {
      work.refreshing = undefined;
      // What waited for this one to find something out may go on.
      void this.tick();
    });
    return true;
  }

  async #refreshAlone(work: AreaWork, charged: number): Promise<void> {
    const { leases, now } = this.#options;
    const lease = await leases.acquire(work.area.key, LEASE_MS, now());
    // Somebody else reads it at this moment; their snapshot is ours.
    if (!lease) return;
    try {
      await this.#refresh(work, lease, charged);
    } finally {
      await leases.release(lease);
    }
  }

  async #refresh(work: AreaWork, lease: Lease, charged: number): Promise<void> {
    const { client, ledger, snapshots } = this.#options;
    const { area } = work;
    const budget = new Budget(ledger, work.spending, work.cost);
    // A query that breaks the contract never leaves, and is as much a defect of ours as one that was rejected.
    const readPage = (query: LivePageQuery) => client.livePage(area.layer, query, budget);
    const refresh = await refreshArea(readPage, area.bbox).catch(() => REFUSED_BY_OURSELVES);
    await budget.close();
    if (budget.attempts < charged) this.#gate.giveBack(charged - budget.attempts, client.clock.now());
    work.failure = refresh.block && {
      block: refresh.block,
      since: work.failure?.since ?? client.clock.now(),
      unasked: budget.attempts === 0,
    };
    if (refresh.fetchedAt === undefined) return;
    work.spending = 'sweep';
    const before = (await snapshots.intersecting(area.layer, area.bbox)).find((held) => held.area.key === area.key);
    await snapshots.put({ area, ...merged(before, refresh, refresh.fetchedAt) }, lease);
    if (refresh.incomplete !== undefined) return;
    work.cost = Math.max(1, refresh.pages);
    this.#plan.learn(area.layer, area.bbox, refresh.positions.values());
  }
}

function unpacedIntervalMs(rate: number | undefined): number {
  return rate === undefined ? PACE_LIMITS.shortestMs : PACE_LIMITS.longestMs;
}

const REFUSED_BY_OURSELVES: Refresh = {
  positions: new Map(),
  fetchedAt: undefined,
  unreadable: 0,
  pages: 0,
  incomplete: 'request_rejected',
  block: { reason: 'request_rejected', until: undefined },
};

/** A refresh that was broken off adds to what was read before, under the older age. */
function merged(before: AreaSnapshot | undefined, refresh: Refresh, fetchedAt: Instant) {
  const { positions, incomplete, unreadable } = refresh;
  if (incomplete === undefined || !before) return { positions, fetchedAt, incomplete, unreadable };
  const together = new Map<string, Position>(before.positions);
  for (const [ref, position] of positions) together.set(ref, position);
  return { positions: together, fetchedAt: before.fetchedAt, incomplete, unreadable };
}

/** New places first, then what waits longest for its interval. */
function byUrgency(now: Instant): (a: AreaWork, b: AreaWork) => number {
  const waited = (work: AreaWork) =>
    work.startedAt === undefined ? Number.POSITIVE_INFINITY : (now - work.startedAt) / work.intervalMs;
  return (a, b) => Number(b.spending === 'arrival') - Number(a.spending === 'arrival') || waited(b) - waited(a);
}
