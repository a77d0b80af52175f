import 'server-only';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { operationId } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import type { Part, Supervisor } from '../supervision/supervisor.ts';
import type { OperationState } from '../upstream/circuit.ts';
import type { Cooldown, TimedCooldown } from '../upstream/cooldown.ts';
import type { MayRequest, Obstacle, Wait } from '../upstream/may-request.ts';
import { AreaRefresher, type AreaRefresherOptions } from './area-refresher.ts';
import { LivePlan } from './live-plan.ts';
import { NewPlaces } from './new-places.ts';
import type { DemandProfile } from './pace/demand-profile.ts';
import { RefreshPace } from './pace/refresh-pace.ts';
import type { ViewerPage } from './plan/demand.ts';
import type { DemandOfAll, ZoneBox } from './plan/demand-of-all.ts';
import type { Densities } from './plan/densities.ts';
import type { PlannedAreas } from './planned-areas.ts';
import {
  dueInMs,
  expectedObservationsPerS,
  isPaced,
  jobsOver,
  type RefreshJob,
  requestsPerS,
  scheduledAt,
  waitOf,
  workOf,
} from './refresh-job.ts';

/** Snapshots that left the plan serve panning viewers, until their records would have expired anyway. */
const SNAPSHOT_KEPT_MS = 3 * MINUTE_MS;
/** Where refreshes are rarer, they are kept until the next read. */
const SNAPSHOT_KEPT_MAX_MS = DAY_MS;
/** Cooldowns end and keys change meanwhile. */
const MAX_PAUSE_MS = 1000;
/** Of the interval, either way. */
const JITTER = 0.1;

export interface RequestSchedulerOptions extends AreaRefresherOptions {
  readonly profile: DemandProfile;
  readonly supervisor: Pick<Supervisor, 'part'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** `undefined` where there is nothing to do without viewers. */
  readonly afterGeneration?: (nextTickInMs: number | undefined) => void;
  readonly demand: DemandOfAll;
  readonly densities: Densities;
  readonly now: () => LocalInstant;
}

/**
 * Refreshes areas more often with more viewers, and only those of zones without any. `tick` must be called after changes and after
 * `nextTickInMs`.
 */
export class RequestScheduler implements PlannedAreas {
  readonly demand: DemandOfAll;
  readonly #options: RequestSchedulerOptions;
  readonly #plan: LivePlan;
  readonly #refresher: AreaRefresher;
  readonly #pace: RefreshPace;
  readonly #newPlaces = new NewPlaces();
  readonly #planning: Part;
  readonly #refreshing: Part;
  #generation: Promise<void> | undefined;
  #isAnotherWanted = false;
  #isStopped = false;
  #plannedVersion = 0;
  /** `undefined` once all snapshots expired. */
  #lastReadAt: LocalInstant | undefined;
  /** The first one that the pace held back. */
  #held: Wait | undefined;

  constructor(options: RequestSchedulerOptions) {
    this.#options = options;
    this.#planning = options.supervisor.part('live');
    this.#refreshing = options.supervisor.part('live', 'refreshes');
    this.demand = options.demand;
    this.#plan = new LivePlan(this.demand, options.snapshots, options.densities);
    this.#refresher = new AreaRefresher(options);
    this.#pace = new RefreshPace(options.ledger, options.profile);
  }

  get jobs(): readonly RefreshJob[] {
    return [...this.#plan.jobs.values()];
  }

  get ratePerS(): number | undefined {
    return this.#pace.ratePerS;
  }

  get refreshesPerS(): number {
    return requestsPerS(this.jobs);
  }

  get viewers(): number {
    return this.demand.viewers;
  }

  get isKeyRefused(): boolean {
    return this.#options.client.isKeyRefused();
  }

  get isPlanned(): boolean {
    return this.demand.version === this.#plannedVersion;
  }

  look(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[]): Promise<void> {
    const { version } = this.demand;
    this.demand.own.polled(viewer, boxes, layers, this.#options.now());
    if (this.demand.version !== version) return this.tick();
    // The generation that plans for an earlier viewer's equal view may still be running.
    return this.isPlanned ? Promise.resolve() : (this.#generation ?? Promise.resolve());
  }

  expectedPerSecond(layer: Layer, box: Bbox): number | undefined {
    return expectedObservationsPerS(this.jobsOver(layer, box), box, (part) =>
      this.#options.densities.expected(layer, part),
    );
  }

  jobsOver(layer: Layer, box: Bbox): readonly RefreshJob[] {
    return jobsOver(this.jobs, layer, box);
  }

  mayRequest(job: RefreshJob): MayRequest {
    const { client, ledger, now } = this.#options;
    const at = now();
    const work = workOf(job);
    return client.mayRequest<Obstacle>(work, [
      isPaced(job) ? undefined : this.#usedUp(),
      waitOf(job, at, ledger.isUnlimited === true),
      this.#newPlaces.wait(job),
      work.spending === 'scheduled' ? (this.#pace.wait(job.cost, at) ?? this.#behind(at)) : undefined,
    ]);
  }

  operation(layer: Layer): OperationState {
    const { client, now } = this.#options;
    return client.circuit.operation(operationId('live', layer), now());
  }

  /** Replaces the boxes of zones. */
  watch(boxes: readonly ZoneBox[]): void {
    this.demand.watch(boxes);
    void this.tick();
  }

  changed(layer: Layer): void {
    for (const job of this.jobs) if (job.area.layer === layer) job.isChanged = true;
    if (!this.demand.isEmpty) void this.tick();
  }

  retryNow(layer: Layer): void {
    const { circuit } = this.#options.client;
    circuit.forgetDenial(operationId('live', layer));
    circuit.forgetShortages();
    for (const job of this.jobs) {
      if (job.area.layer !== layer || !job.failure || job.turn) continue;
      job.startedAt = undefined;
      job.spending = 'first-view';
    }
    void this.tick();
  }

  /** Milliseconds until a job is due, without demand until snapshots expire; then `undefined`. */
  nextTickInMs(): number | undefined {
    if (this.demand.isEmpty) return this.#forgetsAllInMs();
    const waiting = this.jobs.filter(({ running }) => !running);
    const now = this.#options.now();
    return Math.min(MAX_PAUSE_MS, ...waiting.map((job) => dueInMs(job, this.mayRequest(job), now) ?? MAX_PAUSE_MS));
  }

  #forgetsAllInMs(): number | undefined {
    if (this.#lastReadAt === undefined) return undefined;
    // Snapshots are dated by the upstream's clock, which may be known better by then.
    const keptMs = SNAPSHOT_KEPT_MS + MAX_PAUSE_MS;
    return Math.max(0, keptMs - msBetween(this.#lastReadAt, this.#options.now()));
  }

  stop(): void {
    this.#isStopped = true;
    this.#planning.end();
    this.#refreshing.end();
  }

  /** Ends when due refreshes are started, not done. */
  tick(): Promise<void> {
    this.#isAnotherWanted = true;
    this.#generation ??= this.#planning
      .run(() => this.#generations())
      .then(() => {
        this.#generation = undefined;
        this.#options.afterGeneration?.(this.nextTickInMs());
      });
    return this.#generation;
  }

  async idle(): Promise<void> {
    for (;;) {
      await this.#generation;
      const running = this.jobs.flatMap((job) => job.running?.done ?? []);
      if (running.length === 0 && !this.#generation) return;
      await Promise.all(running);
    }
  }

  async #generations(): Promise<void> {
    while (this.#isAnotherWanted) {
      // Viewers who arrive together are planned together.
      await nextLoop();
      this.#isAnotherWanted = false;
      await this.#oneGeneration();
    }
  }

  async #oneGeneration(): Promise<void> {
    const { client, snapshots } = this.#options;
    const now = this.#options.now();
    client.readKey();
    const upstreamNow = client.clock.now();
    this.demand.forgetSilent(now);
    const { version } = this.demand;
    this.#plan.follow(this.#newPlaces.waiting, now, upstreamNow);
    const paced = this.jobs.filter(isPaced);
    const owing = this.#newPlaces.owing(now);
    const wasUsedUp = this.#pace.usedUpUntil !== undefined;
    const terms = await this.#pace.follow(paced, this.demand.operators, owing, now, upstreamNow);
    if (wasUsedUp && this.#pace.usedUpUntil === undefined) client.circuit.forgetShortages();
    this.#newPlaces.setTerms(terms, this.demand.operators, now);
    this.#letOneCheck(upstreamNow);
    this.#newPlaces.follow(this.jobs, (job) => this.#mayBeRead(job), now);
    this.#startDue(now);
    this.#plannedVersion = version;
    if (this.demand.isEmpty && this.#forgetsAllInMs() === 0) this.#lastReadAt = undefined;
    const keptMs = Math.min(SNAPSHOT_KEPT_MAX_MS, Math.max(SNAPSHOT_KEPT_MS, ...paced.map((job) => job.intervalMs)));
    snapshots.forgetBefore(addMs(upstreamNow, -keptMs), new Set(this.#plan.jobs.keys()));
  }

  #startDue(now: LocalInstant): void {
    this.#held = undefined;
    if (this.#isStopped) return;
    const due = this.jobs.filter((job) => !job.running && isDue(job, now));
    for (const job of due.sort(this.#byUrgency(now))) {
      const answer = this.mayRequest(job);
      if (answer === 'yes') this.#start(job, now);
      else if (answer.kind !== 'waits') this.#skip(job, answer, now);
      // Otherwise cheaper jobs behind it would pass for ever.
      else if (answer.reason === 'paced') this.#held ??= answer;
    }
  }

  /** An earlier refresh goes first. */
  #behind(now: LocalInstant): Wait | undefined {
    const until = this.#held?.until;
    return until !== undefined && until <= now ? undefined : this.#held;
  }

  /** Without a paced area, a new one checks a used-up day. */
  #letOneCheck(upstreamNow: UpstreamInstant): void {
    const { usedUpUntil } = this.#pace;
    if (usedUpUntil === undefined || upstreamNow < usedUpUntil || this.jobs.some(isPaced)) return;
    const [job] = this.jobs;
    if (!job) return;
    job.turn = undefined;
    job.spending = 'first-view';
  }

  #usedUp(): TimedCooldown | undefined {
    const { usedUpUntil } = this.#pace;
    if (usedUpUntil === undefined) return undefined;
    return { kind: 'timed', reason: 'allowance_used_up', until: this.#options.client.clock.toLocal(usedUpUntil) };
  }

  #mayBeRead(job: RefreshJob): boolean {
    const answer = this.#options.client.mayRequest({ ...workOf(job), spending: 'first-view' }, [this.#usedUp()]);
    if (answer !== 'yes') this.#failed(job, answer);
    else if (!isPaced(job)) job.failure = undefined;
    return answer === 'yes';
  }

  /** Stays due until the cooldown ends or, without a known end, for another interval. */
  #skip(job: RefreshJob, cooldown: Cooldown, now: LocalInstant): void {
    this.#failed(job, cooldown);
    job.startedAt = cooldown.kind === 'timed' ? undefined : now;
  }

  #start(job: RefreshJob, now: LocalInstant): void {
    const charged = this.#pace.pass(job, now);
    if (charged === undefined) return;
    job.startedAt = now;
    job.isChanged = false;
    job.jitter = 1 + JITTER * (2 * this.#options.random() - 1);
    const { promise: firstRecords, resolve: onRecords } = Promise.withResolvers<void>();
    const done = this.#supervised(job, () => this.#refresh(job, charged, onRecords)).finally(() => {
      onRecords();
      job.running = undefined;
      // Others may have waited for this.
      void this.tick();
    });
    job.running = { firstRecords, done };
  }

  /** An unexpected error is retried after the interval. */
  async #supervised(job: RefreshJob, refresh: () => Promise<void>): Promise<void> {
    try {
      await refresh();
      this.#refreshing.worked();
    } catch (error) {
      this.#refreshing.failed(error);
      const reason = error instanceof DatabaseFailure ? 'storage_failed' : 'request_rejected';
      this.#failed(job, { kind: 'timed', reason, until: this.#options.now() });
    }
  }

  async #refresh(job: RefreshJob, charged: number, onRecords: () => void): Promise<void> {
    const { area } = job;
    const cause = {
      operator: this.#newPlaces.payerOf(job),
      refresh: { area: job.number, number: ++job.refreshes },
    };
    const refresh = await this.#refresher.refresh(area, job.spending, job.cost, onRecords, cause);
    this.#lastReadAt = this.#options.now();
    const { requests } = refresh;
    if (requests < charged) this.#pace.giveBack(charged - requests, this.#options.now());
    const isRead = refresh.kind !== 'unread';
    this.#newPlaces.ended(job, requests, isRead, this.#options.now());
    if (refresh.sentAt !== undefined) this.#sent(job, refresh.sentAt);
    const cooldown = refresh.kind === 'complete' ? undefined : refresh.cooldown;
    if (!cooldown) job.failure = undefined;
    else if (requests === 0) this.#skip(job, cooldown, this.#options.now());
    else this.#failed(job, cooldown);
    if (refresh.kind === 'unread') return;
    job.spending = 'scheduled';
    job.turn = undefined;
    if (refresh.kind === 'partial') return;
    job.cost = refresh.read.pages;
  }

  /** The interval begins when the request is sent. */
  #sent(job: RefreshJob, sentAt: UpstreamInstant): void {
    const at = this.#options.client.clock.toLocal(sentAt);
    // Not after the upstream's clock was set back.
    if (job.startedAt !== undefined && at > job.startedAt && at <= this.#options.now()) job.startedAt = at;
  }

  /** New places first, then by wait relative to the interval. */
  #byUrgency(now: LocalInstant): (a: RefreshJob, b: RefreshJob) => number {
    const rank = ({ spending }: RefreshJob) => (spending === 'first-view' ? 0 : 1);
    const waited = ({ startedAt, intervalMs }: RefreshJob) =>
      startedAt === undefined ? Number.MAX_VALUE : msBetween(startedAt, now) / intervalMs;
    return (a, b) => rank(a) - rank(b) || waited(b) - waited(a);
  }

  #failed(job: RefreshJob, cooldown: Cooldown): void {
    job.failure = { cooldown, since: job.failure?.since ?? this.#options.client.clock.now() };
  }
}

function isDue(job: RefreshJob, now: LocalInstant): boolean {
  const at = scheduledAt(job, now);
  return at !== undefined && at <= now;
}
