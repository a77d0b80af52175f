import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import type { Densities } from '../live/plan/densities.ts';
import type { PlannedAreas } from '../live/planned-areas.ts';
import { expectedObservationsPerS, jobsOver, type RefreshJob, requestsPerS } from '../live/refresh-job.ts';
import type { Area, Snapshots } from '../live/snapshots.ts';
import type { OperationState } from '../upstream/circuit.ts';
import type { MayRequest } from '../upstream/may-request.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { answerOf, jobOf, operationOf, type WrittenJob, type WrittenPlan } from './plan-form.ts';

export type SeenPlan = Omit<PlannedAreas, 'register' | 'retryNow' | 'servers'>;

const UNPROVEN: OperationState = { kind: 'unproven' };

export interface FollowedPlanOptions {
  readonly plan: WrittenPlan;
  readonly clock: UpstreamClock;
  readonly densities: Densities;
  readonly now: () => LocalInstant;
  readonly snapshots: Snapshots;
  /** Resolves when the area's next snapshot, or a later plan, has arrived. */
  readonly arrival: (area: Area) => Promise<void>;
}

export class FollowedPlan implements SeenPlan {
  readonly plan: WrittenPlan;
  readonly jobs: readonly RefreshJob[];
  readonly #written = new Map<RefreshJob, WrittenJob>();
  readonly #options: FollowedPlanOptions;

  constructor(options: FollowedPlanOptions) {
    const { plan, clock, snapshots, arrival } = options;
    this.#options = options;
    this.plan = plan;
    this.jobs = plan.jobs.map((written) => {
      const planned = jobOf(written, clock);
      const { edition, isRunning } = written;
      const known = snapshots.of(planned.area);
      // Its snapshot is on the way to this server.
      const isArriving = edition !== undefined && (known?.name !== edition.name || known.sequence < edition.sequence);
      const arrived = isRunning || isArriving ? arrival(planned.area) : undefined;
      const job: RefreshJob = {
        ...planned,
        running: arrived && { firstRecords: arrived, done: arrived },
        spending: isArriving && !known ? 'first-view' : planned.spending,
      };
      this.#written.set(job, written);
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
    const { clock, now } = this.#options;
    const written = this.#written.get(job);
    return written ? answerOf(written, clock, now()) : 'yes';
  }

  expectedPerSecond(layer: Layer, box: Bbox): number | undefined {
    return expectedObservationsPerS(this.jobsOver(layer, box), box, (part) =>
      this.#options.densities.expected(layer, part),
    );
  }

  operation(layer: Layer): OperationState {
    const { clock, now } = this.#options;
    const state = operationOf(this.plan.operations[layer], clock);
    return state.kind === 'denied' && state.cooldown.until <= now() ? UNPROVEN : state;
  }
}
