import 'server-only';
import { addMs, epochMs } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { isPending } from '../live/cover-box.ts';
import type { LiveEngineOptions } from '../live/live-engine.ts';
import type { Densities } from '../live/live-plan.ts';
import { type Inherited, LiveScheduler } from '../live/live-scheduler.ts';
import { CAUTIOUS_MS } from '../live/pace/pace-limits.ts';
import { workOf } from '../live/refresh-job.ts';
import type { Lease } from '../ports/lease.ts';
import type { RedisPlan } from '../redis/planning/redis-plan.ts';
import type { FollowedPlan } from './followed-plan.ts';
import { DemandOfAll } from './shared-demand.ts';
import { jobOf, planMessageText, type SharedPlan, sharedJob, sharedOperation } from './shared-plan.ts';

/** A plan is published again as a whole after this, changed or not: what a successor needs changes all the time. */
const WHOLE_EVERY_MS = 5 * SECOND_MS;
/** The shortest pause between two generations: starting more than ten a second gains nothing. */
const MIN_PAUSE_MS = 100;

export interface PlanningOptions extends LiveEngineOptions {
  readonly name: string;
  readonly plans: RedisPlan;
  readonly densities: Densities;
  readonly inherited: Inherited | undefined;
  readonly monotonicMs: () => number;
  /** Whether this server still plans for all, with this. */
  readonly isCurrent: (planning: Planning) => boolean;
  /** Whether a refresh that begins now would be known to a successor. */
  readonly mayStart: () => boolean;
  /** What others should know has changed. */
  readonly onChange: () => void;
}

/** This server's planning for all: the scheduler over what all look at, and what it has published to the others. */
export class Planning {
  readonly scheduler: LiveScheduler;
  readonly all: DemandOfAll;
  /** Of the latest seat that it was done under. */
  fence: number;
  readonly #options: PlanningOptions;
  #timer: NodeJS.Timeout | undefined;
  #plannedFor: Readonly<Record<string, number>> = {};
  #published = '';
  #number = 0;
  #wholeMs = 0;

  constructor(fence: number, options: PlanningOptions) {
    this.fence = fence;
    this.#options = options;
    const { client, now } = options;
    this.scheduler = new LiveScheduler({
      ...options,
      hasSeat: () => options.isCurrent(this) && options.mayStart(),
      afterGeneration: (nextTickInMs) => this.#afterGeneration(nextTickInMs),
    });
    this.all = new DemandOfAll(this.scheduler.demand, client.clock, now);
  }

  /** Goes on under another seat. */
  continueUnder(fence: number): void {
    this.fence = fence;
    this.#published = '';
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Publishes the plan, or that it has not changed.
   * @returns false where another server has the seat
   * @throws SharedStoreFailure
   */
  async publish(lease: Lease): Promise<boolean> {
    const { plans, client, monotonicMs } = this.#options;
    if (this.scheduler.isPlanned) this.#plannedFor = this.all.versions;
    const plan = this.#planNow();
    // The rate changes a little all the time.
    const text = JSON.stringify({ ...plan, ratePerS: undefined });
    const nowMs = monotonicMs();
    const isWhole = text !== this.#published || nowMs - this.#wholeMs >= WHOLE_EVERY_MS;
    if (isWhole) {
      this.#published = text;
      this.#wholeMs = nowMs;
      this.#number++;
    }
    const edition = { fence: lease.fence, number: this.#number, at: epochMs(client.clock.now()) };
    const whole = isWhole ? JSON.stringify({ ...plan, successor: this.#successor() }) : undefined;
    const message = planMessageText(edition, whole);
    try {
      const answer = await plans.publish(lease, whole && message, message);
      if (answer !== 'published') this.#published = '';
      return answer === 'missing' ? await this.publish(lease) : answer === 'published';
    } catch (error) {
      this.#published = '';
      throw error;
    }
  }

  #afterGeneration(nextTickInMs: number | undefined): void {
    clearTimeout(this.#timer);
    if (!this.#options.isCurrent(this)) return;
    this.#options.onChange();
    if (nextTickInMs === undefined) return;
    this.#timer = setTimeout(() => void this.scheduler.tick(), Math.max(MIN_PAUSE_MS, nextTickInMs)).unref();
  }

  #planNow(): SharedPlan {
    const { client, now, name } = this.#options;
    const { scheduler, all } = this;
    const { clock, circuit } = client;
    const at = now();
    return {
      planner: name,
      jobs: scheduler.jobs.map((job) => sharedJob(job, circuit.cooldown(workOf(job), at), clock)),
      ...(scheduler.ratePerS === undefined ? {} : { ratePerS: scheduler.ratePerS }),
      viewers: scheduler.viewers,
      replicas: [...all.present],
      isKeyRefused: scheduler.isKeyRefused,
      operations: {
        rid: sharedOperation(scheduler.operation('rid'), clock),
        adsb: sharedOperation(scheduler.operation('adsb'), clock),
      },
      plannedFor: this.#plannedFor,
    };
  }

  #successor(): SharedPlan['successor'] {
    const { owed, tokens } = this.scheduler;
    return { owed: [...owed], tokens, profile: [...this.#options.profile.saved()] };
  }
}

/** What the planner before left, with what it may have read since it published the plan. */
export async function inheritedFrom(
  { plan }: FollowedPlan,
  { client, snapshots }: Pick<PlanningOptions, 'client' | 'snapshots'>,
): Promise<Inherited> {
  const jobs = plan.jobs.map((shared) => ({ shared, job: jobOf(shared, client.clock) }));
  for (const { shared, job } of jobs) {
    const { area, startedAt } = job;
    const known = (await snapshots.intersecting(area.layer, area.bbox)).find((each) => each.area.key === area.key);
    const fetchedAt = known && !isPending(known) ? client.clock.toLocal(known.fetchedAt) : undefined;
    if (fetchedAt !== undefined && (startedAt === undefined || fetchedAt > startedAt)) {
      job.startedAt = fetchedAt;
      job.spending = 'scheduled';
    } else if (shared.isRunning && job.spending === 'first-view' && startedAt !== undefined) {
      // Whoever it was charged for will not read it any more; who waits for it does not wait for a whole interval.
      job.startedAt = addMs(startedAt, Math.min(0, CAUTIOUS_MS - job.intervalMs * job.jitter));
    }
  }
  const { owed = [], tokens = 0 } = plan.successor ?? {};
  return { jobs: jobs.map(({ job }) => job), owed: new Map(owed), tokens };
}
