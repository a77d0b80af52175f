import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { type LocalInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Densities } from '../live/live-plan.ts';
import type { PlannedAreas } from '../live/planned-areas.ts';
import { expectedObservationsPerS, jobsOver, type RefreshJob, requestsPerS, waitOf } from '../live/refresh-job.ts';
import type { OperationState } from '../upstream/circuit.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import type { MayRequest } from '../upstream/may-request.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { type Edition, jobOf, operationOf, type SharedPlan } from './shared-plan.ts';

/** What a plan says, whoever made it. */
export type SeenPlan = Omit<PlannedAreas, 'look' | 'retryNow'>;

/** Another server is at it. What is waited for are its records, in the snapshots. */
const RUNNING_ELSEWHERE = { firstRecords: Promise.resolve(), done: Promise.resolve() };
const UNPROVEN: OperationState = { kind: 'unproven' };

/** The plan of another server. */
export class FollowedPlan implements SeenPlan {
  readonly edition: Edition;
  readonly plan: SharedPlan;
  readonly jobs: readonly RefreshJob[];
  readonly #cooldowns = new Map<string, Cooldown>();
  readonly #clock: UpstreamClock;
  readonly #densities: Densities;
  readonly #now: () => LocalInstant;

  constructor(edition: Edition, plan: SharedPlan, clock: UpstreamClock, densities: Densities, now: () => LocalInstant) {
    this.edition = edition;
    this.plan = plan;
    this.#clock = clock;
    this.#densities = densities;
    this.#now = now;
    this.jobs = plan.jobs.map((shared) => {
      const job = jobOf(shared, clock);
      const { cooldownUntil } = shared;
      if (cooldownUntil !== undefined) {
        const until = clock.toLocal(upstreamInstant(cooldownUntil));
        const reason = job.failure?.cooldown.reason ?? 'allowance_used_up';
        this.#cooldowns.set(job.area.key, { kind: 'timed', reason, until });
      }
      if (shared.isRunning) job.running = RUNNING_ELSEWHERE;
      return job;
    });
  }

  get ratePerS(): number | undefined {
    return this.plan.ratePerS;
  }

  get refreshesPerS(): number {
    return requestsPerS(this.jobs);
  }

  get viewers(): number {
    return this.plan.viewers;
  }

  get isKeyRefused(): boolean {
    return this.plan.isKeyRefused;
  }

  jobsOver(layer: Layer, box: Bbox): readonly RefreshJob[] {
    return jobsOver(this.jobs, layer, box);
  }

  mayRequest(job: RefreshJob): MayRequest {
    const now = this.#now();
    const cooldown = this.#cooldowns.get(job.area.key);
    const isOver = cooldown?.kind === 'timed' && cooldown.until <= now;
    return (isOver ? undefined : cooldown) ?? waitOf(job, now, false) ?? 'yes';
  }

  expectedPerSecond(layer: Layer, box: Bbox): number | undefined {
    return expectedObservationsPerS(this.jobsOver(layer, box), () => this.#densities[layer].expected(box));
  }

  operation(layer: Layer): OperationState {
    const state = operationOf(this.plan.operations[layer], this.#clock);
    return state.kind === 'denied' && state.cooldown.until <= this.#now() ? UNPROVEN : state;
  }
}
