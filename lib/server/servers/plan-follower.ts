import 'server-only';
import { Coalesced } from '#lib/async/coalesced.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, type LocalInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { AreaReads } from '../live/area-reads.ts';
import type { Densities } from '../live/plan/densities.ts';
import type { PlannedAreas } from '../live/planned-areas.ts';
import { expectedObservationsPerS, jobsOver, type RefreshJob, requestsPerS } from '../live/refresh-job.ts';
import type { Area, Snapshots } from '../live/snapshots.ts';
import { withinMs } from '../machine.ts';
import type { OperationState } from '../upstream/circuit.ts';
import type { MayRequest } from '../upstream/may-request.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { answerOf, jobOf, operationOf, readPlan, type WrittenJob, type WrittenPlan } from './plan-form.ts';
import type { PlanRow, ServerBoard } from './server-board.ts';

/** A writer without a sign of life for this long is gone. */
export const WRITER_SILENT_MS = 5 * SECOND_MS;

export interface PlanFollowerOptions {
  readonly board: ServerBoard;
  readonly snapshots: Snapshots;
  readonly reads: AreaReads;
  readonly clock: UpstreamClock;
  readonly densities: Densities;
  readonly now: () => LocalInstant;
}

interface Edition {
  readonly fence: number;
  readonly number: number;
}

/** Follows, at a reader, the plan that the writer publishes. */
export class PlanFollower {
  readonly #options: PlanFollowerOptions;
  readonly #unsubscribe: () => void;
  #latest: FollowedPlan | undefined;
  #edition: Edition = { fence: 0, number: 0 };
  readonly #reads = new Coalesced(() => this.#read());
  #next = Promise.withResolvers<void>();
  /** For each area, what resolves when its next snapshot is here, or a plan without it. */
  #arrivals = new Map<string, PromiseWithResolvers<void>>();
  #aliveMs = performance.now();

  constructor(options: PlanFollowerOptions) {
    this.#options = options;
    this.#unsubscribe = options.reads.subscribe(({ area }) => this.#arrived(area.key));
  }

  get latest(): FollowedPlan | undefined {
    return this.#latest;
  }

  get silentMs(): number {
    return performance.now() - this.#aliveMs;
  }

  /** @param text of a notice. @throws DatabaseFailure */
  async noticed(text: string | undefined): Promise<void> {
    const [fence, number] = (text ?? '').split(' ').map(Number);
    // Only the row itself shows that the writer lives, and a beat reads it each second.
    if (fence !== this.#edition.fence || number !== this.#edition.number) await this.read();
  }

  /** @throws DatabaseFailure */
  read(): Promise<void> {
    return this.#reads.run();
  }

  async next(withinTimeMs: number): Promise<void> {
    await withinMs(this.#next.promise, withinTimeMs);
  }

  writerEnded(): void {
    this.#aliveMs = performance.now();
  }

  wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
    for (const { resolve } of this.#arrivals.values()) resolve();
    this.#arrivals.clear();
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.wake();
    await this.#reads.idle();
  }

  async #read(): Promise<void> {
    const row = await this.#options.board.readPlan(this.#edition);
    if (row) this.#take(row);
  }

  #take({ fence, number, body, ageMs }: PlanRow): void {
    const { clock, now } = this.#options;
    this.#aliveMs = performance.now() - Math.max(0, ageMs);
    if (body === null) return;
    const plan = readPlan(body);
    if (!plan) return;
    clock.takeReport(addMs(upstreamInstant(plan.at), ageMs), now());
    this.#edition = { fence, number };
    const before = this.#arrivals;
    this.#arrivals = new Map();
    this.#latest = new FollowedPlan({
      ...this.#options,
      plan,
      arrival: ({ key }) => {
        const awaited = before.get(key) ?? Promise.withResolvers<void>();
        this.#arrivals.set(key, awaited);
        return awaited.promise;
      },
    });
    for (const [key, { resolve }] of before) if (!this.#arrivals.has(key)) resolve();
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  #arrived(key: string): void {
    this.#arrivals.get(key)?.resolve();
    this.#arrivals.delete(key);
  }
}

export type SeenPlan = Omit<PlannedAreas, 'register' | 'retryNow' | 'servers'>;

const UNPROVEN: OperationState = { kind: 'unproven' };

interface FollowedPlanOptions {
  readonly plan: WrittenPlan;
  readonly clock: UpstreamClock;
  readonly densities: Densities;
  readonly now: () => LocalInstant;
  readonly snapshots: Snapshots;
  /** Resolves when the area's next snapshot, or a later plan, has arrived. */
  readonly arrival: (area: Area) => Promise<void>;
}

/** One edition of the writer's plan, with instants of this server's clock. */
class FollowedPlan implements SeenPlan {
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
