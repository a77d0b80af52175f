import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, msBetween } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { ViewerPage } from '../live/demand.ts';
import type { LiveEngineOptions } from '../live/live-engine.ts';
import { areaOf, newDensities } from '../live/live-plan.ts';
import { FIRST_VIEW_WAIT_MS } from '../live/live-reader.ts';
import { PACE_LIMITS } from '../live/pace/pace-limits.ts';
import { isCovered } from '../live/plan/is-covered.ts';
import type { FleetMembers, PlannedAreas } from '../live/planned-areas.ts';
import type { RefreshJob } from '../live/refresh-job.ts';
import { RECHECK_EVERY_MS } from '../live/status-reader.ts';
import type { Lease } from '../ports/lease.ts';
import { SharedStoreFailure } from '../ports/shared-store-failure.ts';
import type { RedisState } from '../redis/connection/redis-connection.ts';
import type { RedisDemands } from '../redis/planning/redis-demands.ts';
import type { RedisPlan } from '../redis/planning/redis-plan.ts';
import type { OperationState } from '../upstream/circuit.ts';
import type { MayRequest } from '../upstream/may-request.ts';
import type { SeenPlan } from './followed-plan.ts';
import { OwnDemand } from './own-demand.ts';
import { PacedWork } from './paced-work.ts';
import { PlanFollower } from './plan-follower.ts';
import { PlannerSeat, SEAT_MS } from './planner-seat.ts';
import { inheritedFrom, Planning } from './planning.ts';
import { parseSharedDemand, type SharedDemand } from './shared-demand.ts';
import { parsePlanMessage, planMessageStart } from './shared-plan.ts';

const PUBLISHED_EVERY_MS = 100;
const STORE_RETRIED_MS = SECOND_MS;
/** Published by a planner that leaves. */
const SEAT_IS_FREE = '';

export interface FleetLiveOptions extends LiveEngineOptions {
  /** For people: which server it is. */
  readonly name: string;
  readonly plans: RedisPlan;
  readonly demands: RedisDemands;
  /** Of the connection to the shared store. */
  readonly storeState: () => RedisState;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** A clock that nobody sets, in milliseconds. */
  readonly monotonicMs?: () => number;
}

/**
 * One of several servers of which one plans for the viewers of all and refreshes, and the others follow. Each says what is looked at there; the one
 * that has the seat puts that together, publishes its plan, and loses the seat when it has not been able to say so for three seconds. Whoever takes it
 * goes on from the plan that was published last.
 */
export class FleetLive implements PlannedAreas {
  readonly #options: FleetLiveOptions;
  readonly #monotonicMs: () => number;
  readonly #densities = newDensities();
  readonly #seat: PlannerSeat;
  readonly #own: OwnDemand;
  readonly #follower: PlanFollower;
  readonly #publishing: PacedWork;
  readonly #retriedMs = new Map<Layer, number>();
  /** Kept after the seat is lost, until another one has planned. */
  #planning: Planning | undefined;
  #seating: Promise<Lease | undefined> | undefined;
  #beating: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: FleetLiveOptions) {
    this.#options = options;
    const { client, plans, demands, leases, now } = options;
    const monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#monotonicMs = monotonicMs;
    const [clock, densities] = [client.clock, this.#densities];
    const unlessLost = (work: () => Promise<void>) => this.#unlessLost(work);
    this.#seat = new PlannerSeat({ leases, now, monotonicMs });
    this.#own = new OwnDemand({ ...options, clock, monotonicMs, unlessLost });
    this.#follower = new PlanFollower({ ...options, clock, densities, monotonicMs });
    this.#publishing = new PacedWork(PUBLISHED_EVERY_MS, () => unlessLost(() => this.#publishPlan()));
    plans.onPublished((text) => this.#onPlan(text));
    demands.onPublished((text) => this.#onDemand(text));
  }

  /** Whether this server plans for all now. */
  get isPlanner(): boolean {
    return this.#planning !== undefined && this.#seat.lease?.fence === this.#planning.fence;
  }

  get members(): FleetMembers {
    if (this.#planning && this.isPlanner)
      return { planner: this.#options.name, replicas: [...this.#planning.all.present] };
    const plan = this.#follower.latest?.plan;
    return { planner: plan?.planner, replicas: plan?.replicas ?? [] };
  }

  get jobs(): readonly RefreshJob[] {
    return this.#explained(this.#seen?.jobs ?? []);
  }

  get ratePerS(): number | undefined {
    return this.#seen?.ratePerS;
  }

  get refreshesPerS(): number {
    return this.#seen?.refreshesPerS ?? 0;
  }

  get viewers(): number {
    return this.#seen?.viewers ?? this.#own.demand.viewers;
  }

  get isKeyRefused(): boolean {
    return this.#seen?.isKeyRefused ?? this.#options.client.isKeyRefused();
  }

  jobsOver(layer: Layer, box: Bbox): readonly RefreshJob[] {
    const over = this.#seen?.jobsOver(layer, box) ?? [];
    // Nobody has planned for it yet, which is not the same as having refused to.
    const isUnplanned = over.length === 0 && !this.#isPlannedFor(this.#own.demand.version);
    return this.#explained(isUnplanned ? [unplanned(layer, box)] : over);
  }

  mayRequest(job: RefreshJob): MayRequest {
    return this.#storeProblem()?.cooldown ?? this.#seen?.mayRequest(job) ?? 'yes';
  }

  expectedPerSecond(layer: Layer, box: Bbox): number | undefined {
    return this.#seen?.expectedPerSecond(layer, box);
  }

  operation(layer: Layer): OperationState {
    return this.#seen?.operation(layer) ?? { kind: 'unproven' };
  }

  async look(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[]): Promise<void> {
    const { demand } = this.#own;
    const { version } = demand;
    demand.heard(viewer, boxes, layers, this.#options.now());
    const planning = this.#planning;
    if (planning && this.#seen === planning.scheduler) return planning.scheduler.look(viewer, boxes, layers);
    if (demand.version !== version) this.#own.publishSoon();
    const untilMs = performance.now() + FIRST_VIEW_WAIT_MS;
    await this.#planned(boxes, layers, untilMs);
    // It may have become the planner meanwhile.
    const own = this.#planning;
    if (own && this.#seen === own.scheduler) return own.scheduler.look(viewer, boxes, layers);
    await this.#follower.recordsOver(boxes, layers, untilMs - performance.now());
  }

  retryNow(layer: Layer): void {
    if (this.isPlanner) this.#retry(layer);
    else this.#own.retry(layer);
  }

  /** Keeps or takes the seat, says that it is there, and reads what it missed. To be called each second. */
  async beat(): Promise<void> {
    await this.#unlessLost(async () => {
      if (this.#isClosed) return;
      // However long the rest takes where the store is slow: the seat is kept.
      this.#seating ??= this.#seat.beat().finally(() => {
        this.#seating = undefined;
      });
      const lease = await this.#seating;
      this.#beating ??= this.#beat(lease).finally(() => {
        this.#beating = undefined;
      });
      await this.#beating;
    });
  }

  /** Resolves when no refresh of this server is running. */
  async idle(): Promise<void> {
    await this.#planning?.scheduler.idle();
  }

  /**
   * Starts nothing more, and leaves the seat to the others. What is looked at here stays published: the pages go on at another server, which hears them
   * later than this one did, or nobody looks any more, and it ends by itself.
   * @param refreshesMs how long it waits for refreshes that are running
   */
  async close(refreshesMs: number): Promise<void> {
    this.#isClosed = true;
    this.#publishing.stop();
    this.#planning?.stop();
    await this.#unlessLost(async () => {
      await this.#beating;
      await Promise.race([this.idle(), delay(refreshesMs, undefined, { ref: false })]);
      await this.#own.keep(true);
      if (!this.isPlanner) return;
      await this.#publishPlan();
      await this.#seat.release();
      await this.#options.plans.say(SEAT_IS_FREE);
    });
  }

  /** This server's own plan, unless another one has planned since; `undefined` where none is known. */
  get #seen(): SeenPlan | undefined {
    const { latest } = this.#follower;
    const planning = this.#planning;
    return planning && planning.fence >= (latest?.edition.fence ?? 0) ? planning.scheduler : latest;
  }

  #isPlannedFor(version: number): boolean {
    const seen = this.#seen;
    if (seen !== undefined && seen === this.#planning?.scheduler) return true;
    return (this.#follower.latest?.plan.plannedFor[this.#own.id] ?? -1) >= version;
  }

  async #beat(lease: Lease | undefined): Promise<void> {
    this.#own.demand.forgetSilent(this.#options.now());
    if (!lease) await this.#follower.catchUp();
    else if (this.#planning?.fence === lease.fence) await this.#lead(this.#planning);
    else await this.#takeSeat(lease);
    await this.#own.keep();
  }

  async #takeSeat({ fence }: Lease): Promise<void> {
    const { plans, demands, profile, name, log } = this.#options;
    if (!(await this.#follower.read())) await plans.setAside();
    const { latest } = this.#follower;
    // Where nobody else has planned since, nothing was lost but time.
    const isSame = this.#planning !== undefined && this.#planning.fence >= (latest?.edition.fence ?? 0);
    const inherited = isSame || !latest ? undefined : await inheritedFrom(latest, this.#options);
    if (isSame) {
      this.#planning?.continueUnder(fence);
    } else {
      if (latest?.plan.successor) profile.adopt(latest.plan.successor.profile);
      this.#planning = this.#newPlanning(fence, inherited);
    }
    log.info({ name, fence, after: isSame ? name : latest?.plan.planner }, 'this server plans for all of them');
    demands.forgetRead();
    this.#follower.wake();
    if (this.#planning) await this.#lead(this.#planning);
  }

  #newPlanning(fence: number, inherited: ConstructorParameters<typeof Planning>[1]['inherited']): Planning {
    return new Planning(fence, {
      ...this.#options,
      densities: this.#densities,
      inherited,
      monotonicMs: this.#monotonicMs,
      isCurrent: (planning) => this.#planning === planning && this.isPlanner && !this.#isClosed,
      mayStart: () => this.#seat.isFirm,
      onChange: () => this.#publishing.soon(),
    });
  }

  async #lead({ scheduler, all }: Planning): Promise<void> {
    const { demands, log } = this.#options;
    all.take(this.#own.shared());
    for (const { replica, text } of await demands.changes()) {
      if (replica === this.#own.id) continue;
      const shared = parseSharedDemand(text);
      if (shared) this.#take(all, shared);
      else log.warn({ replica }, 'the demand of a server cannot be read');
    }
    const { gone } = all;
    await demands.forget(gone);
    all.forget(gone);
    await scheduler.tick();
    await this.#publishing.now();
  }

  #take(all: Planning['all'], shared: SharedDemand): void {
    for (const layer of all.take(shared)) this.#retry(layer);
  }

  /** However many servers want it: as often as one may. */
  #retry(layer: Layer): void {
    const nowMs = this.#monotonicMs();
    if (nowMs - (this.#retriedMs.get(layer) ?? Number.NEGATIVE_INFINITY) < RECHECK_EVERY_MS) return;
    this.#retriedMs.set(layer, nowMs);
    this.#planning?.scheduler.retryNow(layer);
  }

  async #publishPlan(): Promise<void> {
    const lease = this.#seat.lease;
    if (!lease || this.#planning?.fence !== lease.fence) return;
    if (!(await this.#planning.publish(lease))) this.#seat.lose();
  }

  #onPlan(text: string): void {
    if (text === SEAT_IS_FREE) return void this.beat();
    // Its own.
    if (this.#planning && text.startsWith(planMessageStart(this.#planning.fence))) return;
    const message = parsePlanMessage(text);
    if (!message) return;
    const isMissed = this.#follower.heard(message);
    if (isMissed) void this.#unlessLost(async () => void (await this.#follower.read()));
    if (this.#planning && this.#planning.fence < (this.#follower.latest?.edition.fence ?? 0))
      this.#planning = undefined;
  }

  #onDemand(text: string): void {
    const planning = this.#planning;
    if (!planning || !this.isPlanner) return;
    const shared = parseSharedDemand(text);
    if (!shared || shared.replica === this.#own.id) return;
    this.#take(planning.all, shared);
    if (planning.scheduler.isPlanned) this.#publishing.soon();
    else void planning.scheduler.tick();
  }

  /** Waits until what is looked at now is planned for, unless the plan covers the boxes anyway. */
  async #planned(boxes: readonly Bbox[], layers: readonly Layer[], untilMs: number): Promise<void> {
    const { version } = this.#own.demand;
    for (;;) {
      if (this.#isPlannedFor(version)) return;
      const jobs = this.#seen?.jobs ?? [];
      const areas = (layer: Layer) => jobs.filter(({ area }) => area.layer === layer).map(({ area }) => area.bbox);
      if (layers.every((layer) => boxes.every((box) => isCovered(box, areas(layer))))) return;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0 || this.#storeProblem()) return;
      await this.#follower.next(leftMs);
    }
  }

  /** Why nothing is refreshed, where the store has been gone for so long that nobody can plan. */
  #storeProblem(): RefreshJob['failure'] {
    const { storeState, client, now } = this.#options;
    const state = storeState();
    if (state.kind !== 'lost' || msBetween(state.since, now()) < SEAT_MS) return undefined;
    return {
      cooldown: { kind: 'timed', reason: 'shared_store_failed', until: addMs(now(), STORE_RETRIED_MS) },
      since: client.clock.fromLocal(state.since),
    };
  }

  #explained(jobs: readonly RefreshJob[]): readonly RefreshJob[] {
    const failure = this.#storeProblem();
    return failure ? jobs.map((job) => (job.failure ? job : { ...job, failure })) : jobs;
  }

  async #unlessLost(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof SharedStoreFailure)) this.#options.log.error({ err: error }, 'the shared plan failed');
    }
  }
}

/** A place of which nobody has planned the refreshes yet. */
function unplanned(layer: Layer, box: Bbox): RefreshJob {
  return {
    area: areaOf(layer, box),
    number: 0,
    refreshes: 0,
    apartFor: undefined,
    views: new Map(),
    cost: 1,
    intervalMs: PACE_LIMITS.minMs,
    jitter: 1,
    startedAt: undefined,
    spending: 'first-view',
    turn: undefined,
    running: undefined,
    isElsewhere: false,
    isChanged: true,
    failure: undefined,
  };
}
