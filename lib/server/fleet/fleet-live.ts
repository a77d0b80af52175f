import 'server-only';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, epochMs, msBetween, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { isPending } from '../live/cover-box.ts';
import { Demand, type ViewerPage } from '../live/demand.ts';
import type { LiveEngineOptions } from '../live/live-engine.ts';
import { areaOf, newDensities } from '../live/live-plan.ts';
import { FIRST_VIEW_WAIT_MS } from '../live/live-reader.ts';
import { type Inherited, LiveScheduler } from '../live/live-scheduler.ts';
import { PACE_LIMITS } from '../live/pace/pace-limits.ts';
import { isCovered } from '../live/plan/is-covered.ts';
import { type RefreshJob, workOf } from '../live/refresh-job.ts';
import { RECHECK_EVERY_MS } from '../live/status-reader.ts';
import type { WatchedAreas } from '../live/watched-areas.ts';
import type { Lease } from '../ports/lease.ts';
import { SharedStoreFailure } from '../ports/shared-store-failure.ts';
import type { RedisState } from '../redis/connection/redis-connection.ts';
import type { RedisDemands } from '../redis/planning/redis-demands.ts';
import type { RedisPlan } from '../redis/planning/redis-plan.ts';
import type { OperationState } from '../upstream/circuit.ts';
import { withinMs } from '../upstream/unless-aborted.ts';
import { FollowedPlan, type SeenPlan } from './followed-plan.ts';
import { PlannerSeat, SEAT_MS } from './planner-seat.ts';
import { DEMAND_EVERY_MS, DemandOfAll, parseSharedDemand, type SharedDemand, sharedViews } from './shared-demand.ts';
import {
  isLater,
  jobOf,
  type PlanMessage,
  parsePlanMessage,
  planMessageStart,
  planMessageText,
  type SharedPlan,
  sharedJob,
  sharedOperation,
} from './shared-plan.ts';

/** What others wait for is told at once, and no more often than this. */
const TOLD_EVERY_MS = 100;
/** A plan is told again as a whole after this, changed or not: what a successor needs changes all the time. */
const WHOLE_EVERY_MS = 5 * SECOND_MS;
/** Who has heard nothing of the planner for this long looks for a plan in the store. */
const SILENT_MS = 1.5 * SECOND_MS;
/** The shortest pause between two generations: starting more than ten a second gains nothing. */
const MIN_PAUSE_MS = 100;
/** So often is looked for records that another server is reading. */
const LOOK_EVERY_MS = 50;
const STORE_RETRIED_MS = SECOND_MS;

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

/** This server's planning, under the latest seat that it had. */
interface Planning {
  readonly fence: number;
  readonly scheduler: LiveScheduler;
  readonly all: DemandOfAll;
}

/**
 * One of several servers of which one plans for the viewers of all and refreshes, and the others follow. Each says what is looked at there; the one
 * that has the seat puts that together, tells its plan, and loses the seat when it has not been able to say so for three seconds. Whoever takes it
 * goes on from the plan that was told last.
 */
export class FleetLive implements WatchedAreas {
  readonly #options: FleetLiveOptions;
  readonly #monotonicMs: () => number;
  /** Another one after each start, so that nothing of the one before is taken for ours. */
  readonly #id = randomUUID().slice(0, 8);
  readonly #seat: PlannerSeat;
  readonly #densities = newDensities();
  /** What is looked at here. */
  readonly #own = new Demand();
  readonly #retries: Record<Layer, number> = { rid: 0, adsb: 0 };
  readonly #retriedMs = new Map<Layer, number>();
  #planning: Planning | undefined;
  #followed: FollowedPlan | undefined;
  /** Resolves with the next plan. */
  #next = Promise.withResolvers<void>();
  #heardMs = Number.NEGATIVE_INFINITY;
  /** By area: how many of its refreshes the densities know. */
  #learnt = new Map<string, number>();
  /** Areas of the followed plan whose records have been seen here, or waited for. */
  readonly #arrivals = new Map<string, Promise<void>>();
  readonly #arrived = new Set<string>();
  #beating: Promise<void> | undefined;
  #generationTimer: NodeJS.Timeout | undefined;
  #planTimer: NodeJS.Timeout | undefined;
  #demandTimer: NodeJS.Timeout | undefined;
  readonly #told = { plan: '', planNumber: 0, planMs: 0, wholeMs: 0, demand: 0, demandMs: 0, kept: 0, keptMs: 0 };
  #plannedFor: Readonly<Record<string, number>> = {};
  #isClosed = false;

  constructor(options: FleetLiveOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#seat = new PlannerSeat({ leases: options.leases, now: options.now, monotonicMs: this.#monotonicMs });
    this.#told.keptMs = Number.NEGATIVE_INFINITY;
    options.plans.onTold((text) => this.#onPlan(text));
    options.demands.onTold((text) => this.#onDemand(text));
  }

  /** Whether this server plans for all now. */
  get isPlanner(): boolean {
    return this.#planning !== undefined && this.#seat.lease?.fence === this.#planning.fence;
  }

  /** Who plans, and which servers are there, as far as is known here. */
  get members(): { readonly planner: string | undefined; readonly replicas: SharedPlan['replicas'] } {
    const { name } = this.#options;
    if (this.isPlanner) return { planner: name, replicas: [...(this.#planning?.all.present ?? [])] };
    const plan = this.#followed?.plan;
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
    return this.#seen?.viewers ?? this.#own.viewers;
  }

  get isKeyRefused(): boolean {
    return this.#seen?.isKeyRefused ?? this.#options.client.isKeyRefused();
  }

  jobsOver(layer: Layer, box: Bbox): readonly RefreshJob[] {
    const over = this.#seen?.jobsOver(layer, box) ?? [];
    // Nobody has planned for it yet, which is not the same as having refused to.
    return this.#explained(over.length > 0 || this.#isPlannedFor ? over : [unplanned(layer, box)]);
  }

  dueInMs(job: RefreshJob): number | undefined {
    return this.#seen ? this.#seen.dueInMs(job) : 0;
  }

  expectedPerSecond(layer: Layer, box: Bbox): number | undefined {
    return this.#seen?.expectedPerSecond(layer, box);
  }

  operation(layer: Layer): OperationState {
    return this.#seen?.operation(layer) ?? { kind: 'unproven' };
  }

  async look(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[]): Promise<void> {
    const { version } = this.#own;
    this.#own.heard(viewer, boxes, layers, this.#options.now());
    const planning = this.#planning;
    if (planning && this.#seen === planning.scheduler) return planning.scheduler.look(viewer, boxes, layers);
    if (this.#own.version !== version) this.#tellDemandSoon();
    const untilMs = performance.now() + FIRST_VIEW_WAIT_MS;
    await this.#planned(boxes, layers, this.#own.version, untilMs);
    await this.#recordsArrived(boxes, layers, untilMs);
  }

  retryNow(layer: Layer): void {
    this.#retries[layer]++;
    if (this.isPlanner) this.#retry(layer);
    else void this.#unlessLost(() => this.#tellDemand());
  }

  /** Says that it is there, keeps or takes the seat, and reads what it was not told. To be called each second. */
  beat(): Promise<void> {
    this.#beating ??= this.#unlessLost(() => this.#beat()).finally(() => {
      this.#beating = undefined;
    });
    return this.#beating;
  }

  /** Resolves when no refresh of this server is running. */
  async idle(): Promise<void> {
    await this.#planning?.scheduler.idle();
  }

  /**
   * Starts nothing more, and leaves the seat to the others. What is looked at here stays told: the pages go on at another server, which hears them
   * later than this one did, or nobody looks any more, and it ends by itself.
   * @param refreshesMs how long it waits for refreshes that are running
   */
  async close(refreshesMs: number): Promise<void> {
    this.#isClosed = true;
    for (const timer of [this.#generationTimer, this.#planTimer, this.#demandTimer]) clearTimeout(timer);
    await this.#beating;
    await Promise.race([this.idle(), delay(refreshesMs, undefined, { ref: false })]);
    await this.#unlessLost(async () => {
      await this.#keepDemand(true);
      if (!this.isPlanner) return;
      await this.#tellPlan();
      await this.#seat.release();
      await this.#options.plans.say('');
    });
  }

  /** This server's own plan, unless another one has planned since; `undefined` where none is known. */
  get #seen(): SeenPlan | undefined {
    const [planning, followed] = [this.#planning, this.#followed];
    return planning && planning.fence >= (followed?.edition.fence ?? 0) ? planning.scheduler : followed;
  }

  get #isPlannedFor(): boolean {
    if (this.#seen === this.#planning?.scheduler) return this.#seen !== undefined;
    return (this.#followed?.plan.plannedFor[this.#id] ?? 0) >= this.#own.version;
  }

  async #beat(): Promise<void> {
    if (this.#isClosed) return;
    this.#own.forgetSilent(this.#options.now());
    const lease = await this.#seat.beat();
    if (!lease) await this.#follow();
    else if (this.#planning?.fence === lease.fence) await this.#lead(this.#planning);
    else await this.#takeSeat(lease);
    await this.#keepDemand(false);
  }

  async #takeSeat({ fence }: Lease): Promise<void> {
    const { demands, name, log } = this.#options;
    await this.#readPlan();
    const own = this.#planning;
    const followed = this.#followed;
    // Nobody else has planned since: nothing was lost but time.
    const isSame = own !== undefined && own.fence >= (followed?.edition.fence ?? 0);
    if (isSame) this.#planning = { ...own, fence };
    else this.#planning = this.#newPlanning(fence, followed && (await this.#inherited(followed)));
    if (!isSame && followed?.plan.successor) this.#options.profile.adopt(followed.plan.successor.profile);
    this.#told.plan = '';
    log.info({ name, fence, continues: isSame ? name : followed?.plan.planner }, 'this server plans for all of them');
    demands.forgetRead();
    await this.#lead(this.#planning);
  }

  #newPlanning(fence: number, inherited: Inherited | undefined): Planning {
    const { client, now } = this.#options;
    const scheduler = new LiveScheduler({
      ...this.#options,
      densities: this.#densities,
      inherited,
      mayStart: () => this.#planning?.scheduler === scheduler && this.isPlanner && !this.#isClosed,
      afterGeneration: (nextTickInMs) => this.#afterGeneration(scheduler, nextTickInMs),
    });
    return { fence, scheduler, all: new DemandOfAll(scheduler.demand, client.clock, now) };
  }

  /** What the planner before left, with what it may have read since it told the plan. */
  async #inherited({ plan }: FollowedPlan): Promise<Inherited> {
    const { client, snapshots } = this.#options;
    const jobs = plan.jobs.map((shared) => ({ shared, job: jobOf(shared, client.clock) }));
    for (const { shared, job } of jobs) {
      const { area, startedAt } = job;
      const known = (await snapshots.intersecting(area.layer, area.bbox)).find((each) => each.area.key === area.key);
      const fetchedAt = known && !isPending(known) ? client.clock.toLocal(known.fetchedAt) : undefined;
      if (fetchedAt !== undefined && (startedAt === undefined || fetchedAt > startedAt)) {
        job.startedAt = fetchedAt;
        job.spending = 'scheduled';
      } else if (shared.isRunning && job.spending === 'first-view' && startedAt !== undefined) {
        // It will not be read any more by whom it was charged for; who waits for it does not wait for a whole interval.
        job.startedAt = addMs(startedAt, Math.min(0, PACE_LIMITS.minMs - job.intervalMs * job.jitter));
      }
    }
    const { owed = [], tokens = 0 } = plan.successor ?? {};
    return { jobs: jobs.map(({ job }) => job), owed: new Map(owed), tokens };
  }

  async #lead({ scheduler, all }: Planning): Promise<void> {
    const { demands } = this.#options;
    all.take(this.#ownDemand(0));
    for (const { replica, text } of await demands.changes()) {
      const shared = replica === this.#id ? undefined : parseSharedDemand(text);
      if (shared) this.#take(all, shared);
      else if (replica !== this.#id) this.#options.log.warn({ replica }, 'the demand of a server cannot be read');
    }
    const { gone } = all;
    await demands.forget(gone);
    all.forget(gone);
    await scheduler.tick();
    await this.#tellPlan();
  }

  async #follow(): Promise<void> {
    if (this.#monotonicMs() - this.#heardMs > SILENT_MS) await this.#readPlan();
  }

  #take(all: DemandOfAll, shared: SharedDemand): void {
    for (const layer of all.take(shared)) this.#retry(layer);
  }

  /** However many servers want it: as often as one may. */
  #retry(layer: Layer): void {
    const nowMs = this.#monotonicMs();
    if (nowMs - (this.#retriedMs.get(layer) ?? Number.NEGATIVE_INFINITY) < RECHECK_EVERY_MS) return;
    this.#retriedMs.set(layer, nowMs);
    this.#planning?.scheduler.retryNow(layer);
  }

  #afterGeneration(scheduler: LiveScheduler, nextTickInMs: number | undefined): void {
    if (this.#planning?.scheduler !== scheduler) return;
    clearTimeout(this.#generationTimer);
    if (!this.isPlanner || this.#isClosed) return;
    this.#tellPlanSoon();
    if (nextTickInMs === undefined) return;
    this.#generationTimer = setTimeout(() => void scheduler.tick(), Math.max(MIN_PAUSE_MS, nextTickInMs)).unref();
  }

  #tellPlanSoon(): void {
    if (this.#planTimer !== undefined || this.#isClosed) return;
    const waitMs = Math.max(0, this.#told.planMs + TOLD_EVERY_MS - performance.now());
    this.#planTimer = setTimeout(() => {
      this.#planTimer = undefined;
      void this.#unlessLost(() => this.#tellPlan());
    }, waitMs).unref();
  }

  async #tellPlan(): Promise<void> {
    const { plans, client } = this.#options;
    const [lease, planning, told] = [this.#seat.lease, this.#planning, this.#told];
    if (!lease || !planning || planning.fence !== lease.fence) return;
    clearTimeout(this.#planTimer);
    this.#planTimer = undefined;
    told.planMs = performance.now();
    if (planning.scheduler.isPlanned) this.#plannedFor = planning.all.versions;
    const plan = this.#planNow(planning);
    // The rate changes a little all the time.
    const text = JSON.stringify({ ...plan, ratePerS: undefined });
    const isWhole = text !== told.plan || told.planMs - told.wholeMs > WHOLE_EVERY_MS;
    if (isWhole) {
      told.plan = text;
      told.wholeMs = told.planMs;
      told.planNumber++;
    }
    const edition = { fence: lease.fence, number: told.planNumber, at: epochMs(client.clock.now()) };
    const successor = this.#successor(planning);
    const message = planMessageText(edition, isWhole ? JSON.stringify({ ...plan, successor }) : undefined);
    const answer = await plans.tell(lease, isWhole ? message : undefined, message).catch((error: unknown) => {
      told.plan = '';
      throw error;
    });
    if (answer === 'told') return;
    told.plan = '';
    if (answer === 'missing') return this.#tellPlan();
    this.#seat.lose();
  }

  #planNow({ scheduler, all }: Planning): SharedPlan {
    const { client, now } = this.#options;
    const at = now();
    return {
      planner: this.#options.name,
      jobs: scheduler.jobs.map((job) => sharedJob(job, client.circuit.workCooldown(workOf(job), at), client.clock)),
      ...(scheduler.ratePerS === undefined ? {} : { ratePerS: scheduler.ratePerS }),
      viewers: scheduler.viewers,
      replicas: [...all.present],
      isKeyRefused: scheduler.isKeyRefused,
      operations: {
        rid: sharedOperation(scheduler.operation('rid'), client.clock),
        adsb: sharedOperation(scheduler.operation('adsb'), client.clock),
      },
      plannedFor: this.#plannedFor,
    };
  }

  #successor({ scheduler }: Planning): SharedPlan['successor'] {
    return {
      owed: [...scheduler.owed],
      tokens: scheduler.tokens,
      profile: [...this.#options.profile.saved()],
    };
  }

  #onPlan(text: string): void {
    // A planner has left.
    if (text === '') return void this.beat();
    if (this.#planning && text.startsWith(planMessageStart(this.#planning.fence))) return;
    const message = parsePlanMessage(text);
    if (message === undefined) return;
    this.#heard(message);
    if (!message.plan && isLater(message, this.#followed?.edition)) void this.#unlessLost(() => this.#readPlan());
  }

  async #readPlan(): Promise<void> {
    const { plans } = this.#options;
    const text = await plans.read();
    if (text === undefined) return;
    const message = parsePlanMessage(text);
    if (message?.plan) this.#adopt(message);
    else if (this.#seat.lease) await plans.setAside();
  }

  #heard(message: PlanMessage): void {
    const { client, now } = this.#options;
    this.#heardMs = this.#monotonicMs();
    client.clock.told(upstreamInstant(message.at), now());
    this.#adopt(message);
  }

  #adopt({ plan, fence, number }: PlanMessage): void {
    const { client, now } = this.#options;
    if (!plan || !isLater({ fence, number }, this.#followed?.edition)) return;
    this.#followed = new FollowedPlan({ fence, number }, plan, client.clock, this.#densities, now);
    if (this.#planning && this.#planning.fence < fence) this.#planning = undefined;
    const keys = new Set(this.#followed.jobs.map(({ area }) => area.key));
    for (const key of this.#arrived) if (!keys.has(key)) this.#arrived.delete(key);
    this.#next.resolve();
    this.#next = Promise.withResolvers();
    void this.#learn(this.#followed.jobs);
  }

  /** What the planner learns of the densities, so that prices are the same everywhere, and a successor knows what areas cost. */
  async #learn(jobs: readonly RefreshJob[]): Promise<void> {
    const { snapshots } = this.#options;
    const learnt = this.#learnt;
    this.#learnt = new Map(jobs.map(({ area }) => [area.key, learnt.get(area.key) ?? 0]));
    for (const { area, refreshes, running } of jobs) {
      if (running || refreshes <= (learnt.get(area.key) ?? 0)) continue;
      const read = (await snapshots.intersecting(area.layer, area.bbox)).find((each) => each.area.key === area.key);
      if (!read || read.incomplete !== undefined) continue;
      this.#learnt.set(area.key, refreshes);
      this.#densities[area.layer].learn(area.bbox, read.positions.values());
    }
  }

  /** Waits until the boxes are planned for, unless the plan covers them anyway. */
  async #planned(boxes: readonly Bbox[], layers: readonly Layer[], version: number, untilMs: number): Promise<void> {
    for (;;) {
      if (this.#isPlannedFor || (this.#followed?.plan.plannedFor[this.#id] ?? 0) >= version) return;
      const jobs = this.#seen?.jobs ?? [];
      const areas = (layer: Layer) => jobs.filter(({ area }) => area.layer === layer).map(({ area }) => area.bbox);
      if (layers.every((layer) => boxes.every((box) => isCovered(box, areas(layer))))) return;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0 || this.#storeProblem()) return;
      await withinMs(this.#next.promise, leftMs);
    }
  }

  /** Another server reads new places: their first records are worth a short wait, once. */
  async #recordsArrived(boxes: readonly Bbox[], layers: readonly Layer[], untilMs: number): Promise<void> {
    const over = layers.flatMap((layer) => boxes.flatMap((box) => this.#seen?.jobsOver(layer, box) ?? []));
    const awaited = over.filter(
      ({ area, refreshes, failure, turn }) => refreshes > 0 && !failure && !turn && !this.#arrived.has(area.key),
    );
    if (awaited.length === 0) return;
    await withinMs(Promise.all(awaited.map((job) => this.#arrival(job))), Math.max(0, untilMs - performance.now()));
  }

  #arrival({ area }: RefreshJob): Promise<void> {
    const { snapshots } = this.#options;
    const known = this.#arrivals.get(area.key);
    if (known !== undefined) return known;
    const look = async () => {
      const untilMs = performance.now() + FIRST_VIEW_WAIT_MS;
      while (performance.now() < untilMs) {
        const found = await snapshots.intersecting(area.layer, area.bbox);
        if (found.some(({ area: { key } }) => key === area.key)) break;
        await delay(LOOK_EVERY_MS, undefined, { ref: false });
      }
      this.#arrived.add(area.key);
    };
    const arrival = look().finally(() => this.#arrivals.delete(area.key));
    this.#arrivals.set(area.key, arrival);
    return arrival;
  }

  #onDemand(text: string): void {
    const planning = this.#planning;
    if (!planning || !this.isPlanner) return;
    const shared = parseSharedDemand(text);
    if (!shared || shared.replica === this.#id) return;
    this.#take(planning.all, shared);
    if (planning.scheduler.isPlanned) this.#tellPlanSoon();
    else void planning.scheduler.tick();
  }

  #ownDemand(since: number): SharedDemand {
    const { client, name } = this.#options;
    return {
      replica: this.#id,
      name,
      at: epochMs(client.clock.now()),
      since,
      version: this.#own.version,
      viewers: this.#own.viewers,
      retries: { ...this.#retries },
      views: sharedViews(this.#own.views(since), client.clock),
    };
  }

  #tellDemandSoon(): void {
    if (this.#demandTimer !== undefined || this.#isClosed) return;
    const waitMs = Math.max(0, this.#told.demandMs + TOLD_EVERY_MS - performance.now());
    this.#demandTimer = setTimeout(() => {
      this.#demandTimer = undefined;
      void this.#unlessLost(() => this.#tellDemand());
    }, waitMs).unref();
  }

  /** What changed, to the planner. Should it get lost, all of it is kept in the store each second. */
  async #tellDemand(): Promise<void> {
    const told = this.#told;
    told.demandMs = performance.now();
    const shared = this.#ownDemand(told.demand);
    told.demand = shared.version;
    await this.#options.demands.tell(JSON.stringify(shared));
  }

  async #keepDemand(isLast: boolean): Promise<void> {
    const told = this.#told;
    const nowMs = this.#monotonicMs();
    const shared = () => this.#ownDemand(0);
    if (!isLast && told.kept === this.#own.version && nowMs - told.keptMs < DEMAND_EVERY_MS) return;
    const whole = shared();
    await this.#options.demands.keep(this.#id, `${whole.version} ${whole.at}`, JSON.stringify(whole));
    told.kept = whole.version;
    told.keptMs = nowMs;
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
    failure: undefined,
  };
}
