import 'server-only';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { Coalesced } from '#lib/async/coalesced.ts';
import { operationId } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, type LocalInstant, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import type { Part, Supervisor } from '../supervision/supervisor.ts';
import type { OperationState } from '../upstream/circuit.ts';
import type { TimedCooldown } from '../upstream/cooldown.ts';
import type { MayRequest, Obstacle, Wait } from '../upstream/may-request.ts';
import { LivePlan } from './live-plan.ts';
import { NewPlaces } from './new-places.ts';
import type { DemandProfile } from './pace/demand-profile.ts';
import { RefreshPace } from './pace/refresh-pace.ts';
import type { ViewerPage } from './plan/demand.ts';
import type { DemandOfAll, ZoneBox } from './plan/demand-of-all.ts';
import type { Densities } from './plan/densities.ts';
import type { PlannedAreas } from './planned-areas.ts';
import { AreaRefresher, type AreaRefresherOptions } from './refresh-area.ts';
import {
  dueInMs,
  expectedObservationsPerS,
  isPaced,
  jobsOver,
  type OwnJob,
  type RefreshJob,
  requestsOf,
  requestsPerS,
  scheduledAt,
  waitOf,
} from './refresh-job.ts';

/** Snapshots that left the plan serve panning viewers, until their records would have expired anyway. */
const SNAPSHOT_KEPT_MS = 3 * MINUTE_MS;
/** Where refreshes are rarer, they are kept until the next read. */
const SNAPSHOT_KEPT_MAX_MS = DAY_MS;
/** The longest pause between generations: cooldowns end and keys change meanwhile. */
const MAX_PAUSE_MS = 1000;
/** The share of the interval by which refreshes are earlier or later. */
const JITTER = 0.1;

export interface RequestSchedulerOptions extends AreaRefresherOptions {
  readonly profile: DemandProfile;
  readonly supervisor: Pick<Supervisor, 'part'>;
  /** @returns a value uniform in [0, 1) */
  readonly random: () => number;
  /** `undefined` where there is nothing to do without viewers. */
  readonly afterGeneration?: (nextTickInMs: number | undefined) => void;
  readonly demand: DemandOfAll;
  readonly densities: Densities;
  readonly now: () => LocalInstant;
}

/**
 * Refreshes the areas that viewers and zones want, within what the allowance has left: plans them, paces them, queues
 * first views, and starts what is due. One pass over all of that is a generation. `tick` must be called after changes
 * and after `nextTickInMs`. It never sends a request that `mayRequest` does not allow.
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
  readonly #generations = new Coalesced(
    () => this.#generation(),
    // Viewers who arrive together are planned together.
    () => nextLoop(),
  );
  #isStopped = false;
  #plannedVersion = 0;
  /** The time of the last read; `undefined` once all snapshots expired. */
  #lastReadAt: LocalInstant | undefined;
  /** The wait of the first refresh that the pace held back. */
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
    return this.#plan.jobs;
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

  async register(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[]): Promise<void> {
    const { version } = this.demand;
    this.demand.own.polled(viewer, boxes, layers, this.#options.now());
    if (this.demand.version !== version) await this.tick();
    // The generation that plans for an earlier viewer's equal view may still be running.
    else if (!this.isPlanned) await this.#generations.idle();
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
    const work = requestsOf(job);
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
    // A `Part` never rejects, here and below.
    void this.tick();
  }

  changed(layer: Layer): void {
    for (const own of this.#plan.own) if (own.job.area.layer === layer) own.announced();
    if (!this.demand.isEmpty) void this.tick();
  }

  retryNow(layer: Layer): void {
    const { circuit } = this.#options.client;
    circuit.forgetDenial(operationId('live', layer));
    circuit.forgetShortages();
    for (const own of this.#plan.own) if (own.job.area.layer === layer) own.retried();
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
    return this.#generations.run();
  }

  async idle(): Promise<void> {
    for (;;) {
      await this.#generations.idle();
      const running = this.jobs.flatMap((job) => job.running?.done ?? []);
      if (running.length === 0) return;
      await Promise.all(running);
    }
  }

  async #generation(): Promise<void> {
    await this.#planning.run(() => this.#followAll());
    this.#options.afterGeneration?.(this.nextTickInMs());
  }

  async #followAll(): Promise<void> {
    const { client, snapshots } = this.#options;
    const now = this.#options.now();
    client.readKey();
    const upstreamNow = client.clock.now();
    this.demand.forgetSilent(now);
    const { version } = this.demand;
    this.#plan.follow(this.#newPlaces.waiting, now, upstreamNow);
    const paced = this.#plan.own.filter(({ job }) => isPaced(job));
    const owing = this.#newPlaces.owing(now);
    const wasUsedUp = this.#pace.usedUpUntil !== undefined;
    const refreshes = paced.map(({ job }) => job);
    const { intervalsMs, terms } = await this.#pace.follow(refreshes, this.demand.operators, owing, now, upstreamNow);
    for (const [index, own] of paced.entries()) own.paced(intervalsMs[index] as number);
    if (wasUsedUp && this.#pace.usedUpUntil === undefined) client.circuit.forgetShortages();
    this.#newPlaces.setTerms(terms, this.demand.operators, now);
    this.#letOneCheck(upstreamNow);
    this.#newPlaces.follow(this.#plan.own, (own) => this.#mayBeRead(own), now);
    this.#startDue(now);
    this.#plannedVersion = version;
    if (this.demand.isEmpty && this.#forgetsAllInMs() === 0) this.#lastReadAt = undefined;
    const keptMs = Math.min(SNAPSHOT_KEPT_MAX_MS, Math.max(SNAPSHOT_KEPT_MS, ...intervalsMs));
    snapshots.forgetBefore(addMs(upstreamNow, -keptMs), this.#plan.keys);
  }

  #startDue(now: LocalInstant): void {
    const { client } = this.#options;
    this.#held = undefined;
    if (this.#isStopped) return;
    const due = this.#plan.own.filter(({ job }) => !job.running && isDue(job, now));
    for (const own of due.sort(byUrgency(now))) {
      const answer = this.mayRequest(own.job);
      if (answer === 'yes') this.#start(own, now);
      else if (answer.kind !== 'waits') own.skipped(answer, client.clock.now(), now);
      // The first refresh that waits for the pace holds back the others: otherwise, cheaper ones behind it would pass
      // for ever.
      else if (answer.reason === 'paced') this.#held ??= answer;
    }
  }

  /** The wait for an earlier refresh, which goes first. */
  #behind(now: LocalInstant): Wait | undefined {
    const until = this.#held?.until;
    return until !== undefined && until <= now ? undefined : this.#held;
  }

  /** Lets a new area check a used-up day, where there is no paced one. */
  #letOneCheck(upstreamNow: UpstreamInstant): void {
    const { usedUpUntil } = this.#pace;
    if (usedUpUntil === undefined || upstreamNow < usedUpUntil || this.jobs.some(isPaced)) return;
    this.#plan.own[0]?.admitted();
  }

  #usedUp(): TimedCooldown | undefined {
    const { usedUpUntil } = this.#pace;
    if (usedUpUntil === undefined) return undefined;
    return { kind: 'timed', reason: 'allowance_used_up', until: this.#options.client.clock.toLocal(usedUpUntil) };
  }

  #mayBeRead(own: OwnJob): boolean {
    const { client } = this.#options;
    const answer = client.mayRequest({ ...requestsOf(own.job), spending: 'first-view' }, [this.#usedUp()]);
    if (answer !== 'yes') own.failed(answer, client.clock.now());
    else if (!isPaced(own.job)) own.succeeded();
    return answer === 'yes';
  }

  #start(own: OwnJob, now: LocalInstant): void {
    const charged = this.#pace.pass(own.job, now);
    if (charged === undefined) return;
    own.started(now, 1 + JITTER * (2 * this.#options.random() - 1));
    const { promise: firstRecords, resolve: onRecords } = Promise.withResolvers<void>();
    const done = this.#supervised(own, () => this.#refresh(own, charged, onRecords)).finally(() => {
      onRecords();
      own.ended();
      // Others may have waited for this. A `Part` never rejects, here and above.
      void this.tick();
    });
    own.runs({ firstRecords, done });
  }

  /** An unexpected error is retried after the interval. */
  async #supervised(own: OwnJob, refresh: () => Promise<void>): Promise<void> {
    try {
      await refresh();
      this.#refreshing.worked();
    } catch (error) {
      this.#refreshing.failed(error);
      const reason = error instanceof DatabaseFailure ? 'storage_failed' : 'request_rejected';
      const { client, now } = this.#options;
      own.failed({ kind: 'timed', reason, until: now() }, client.clock.now());
    }
  }

  async #refresh(own: OwnJob, charged: number, onRecords: () => void): Promise<void> {
    const { client, now } = this.#options;
    const { job } = own;
    const cause = {
      operator: this.#newPlaces.payerOf(job),
      refresh: { area: job.number, number: job.refreshes },
    };
    const refresh = await this.#refresher.refresh(job.area, job.spending, job.cost, onRecords, cause);
    this.#lastReadAt = now();
    const { requests, sentAt } = refresh;
    if (requests < charged) this.#pace.giveBack(charged - requests, now());
    this.#newPlaces.ended(job, requests, refresh.kind !== 'unread', now());
    if (sentAt !== undefined) own.sent(client.clock.toLocal(sentAt), now());
    const cooldown = refresh.kind === 'complete' ? undefined : refresh.cooldown;
    if (!cooldown) own.succeeded();
    else if (requests === 0) own.skipped(cooldown, client.clock.now(), now());
    else own.failed(cooldown, client.clock.now());
    if (refresh.kind !== 'unread') own.read(refresh.kind === 'complete' ? refresh.read.pages : undefined);
  }
}

/** Orders new places first, then by wait relative to the interval. */
function byUrgency(now: LocalInstant): (a: OwnJob, b: OwnJob) => number {
  const rank = ({ job }: OwnJob) => (job.spending === 'first-view' ? 0 : 1);
  const waited = ({ job: { startedAt, intervalMs } }: OwnJob) =>
    startedAt === undefined ? Number.MAX_VALUE : msBetween(startedAt, now) / intervalMs;
  return (a, b) => rank(a) - rank(b) || waited(b) - waited(a);
}

function isDue(job: RefreshJob, now: LocalInstant): boolean {
  const at = scheduledAt(job, now);
  return at !== undefined && at <= now;
}
