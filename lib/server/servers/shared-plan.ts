// The plan of live refreshes, from the writer to the readers. The writer publishes it in the database, and each reader
// follows it with instants of its own clock. A plan that cannot be read leaves the one before in place.
import 'server-only';
import { z } from 'zod';
import { failureReasonSchema, refreshReasonSchema } from '#lib/api/layer-reason.ts';
import { layerSchema } from '#lib/api/layer-state.ts';
import { PART_FAILURES, SUPERVISED_PARTS } from '#lib/api/operation/ready-answer.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { boxFromCorners, corners } from '#lib/geo/corners.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, epochMs, type LocalInstant, upstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { AreaReads } from '../live/area-reads.ts';
import { ZONES, zonesAmong } from '../live/plan/demand-of-all.ts';
import type { Densities } from '../live/plan/densities.ts';
import type { PlannedAreas } from '../live/planned-areas.ts';
import { expectedObservationsPerS, jobsOver, plainJob, type RefreshJob, requestsPerS } from '../live/refresh-job.ts';
import { areaOf, type LiveArea, type Snapshots } from '../live/snapshots.ts';
import { withinMs } from '../machine.ts';
import type { PartFailure } from '../supervision/supervisor.ts';
import type { OperationState } from '../upstream/circuit.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import type { MayRequest, Obstacle } from '../upstream/may-request.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { boxSchema } from './demand-reports.ts';
import type { PlanRow, ServerBoard } from './server-board.ts';

// Two releases may read a plan: additions must be optional, and unknown fields are ignored.

const countSchema = z.int().nonnegative();

const timedSchema = z.object({ kind: z.literal('timed'), reason: failureReasonSchema, until: z.number() });
const cooldownSchema = z.union([
  timedSchema,
  z.object({ kind: z.literal('latched'), reason: z.enum(['key_refused', 'request_rejected']) }),
  z.object({ kind: z.literal('reserved'), reason: z.literal('allowance_used_up') }),
]);
const waitSchema = z.object({ kind: z.literal('waits'), reason: refreshReasonSchema, until: z.optional(z.number()) });

const operationSchema = z
  .union([
    z.object({ kind: z.enum(['unproven', 'proven', 'wrong-path']) }),
    z.object({ kind: z.literal('denied'), cooldown: timedSchema }),
    z.object({ kind: z.literal('failing'), failures: countSchema, cooldown: timedSchema }),
  ])
  .catch({ kind: 'unproven' });

const jobSchema = z.object({
  layer: layerSchema,
  box: boxSchema,
  number: countSchema,
  apartFor: z.string().optional(),
  /** With those of zones. */
  views: countSchema,
  zones: countSchema.default(0),
  cost: z.int().positive(),
  intervalMs: z.number().positive(),
  startedAt: z.number().optional(),
  spending: z.enum(['scheduled', 'first-view']),
  turn: z.object({ claims: z.array(z.tuple([z.string(), z.number()])), at: z.number().optional() }).optional(),
  isRunning: z.boolean(),
  failure: z.object({ cooldown: cooldownSchema, since: z.number() }).optional().catch(undefined),
  waits: z.union([cooldownSchema, waitSchema]).optional().catch(undefined),
  edition: z.object({ name: z.string(), sequence: countSchema }).optional(),
});
export type WrittenJob = z.infer<typeof jobSchema>;

/** The plan as it is written. Instants are the upstream's. */
const planSchema = z.object({
  at: z.number(),
  writer: z.string(),
  jobs: z.array(jobSchema),
  ratePerS: z.number().nonnegative().optional(),
  viewers: countSchema,
  servers: z.array(z.object({ name: z.string(), viewers: countSchema })),
  isKeyRefused: z.boolean(),
  operations: z.object({ rid: operationSchema, adsb: operationSchema }),
  /** Failing parts of the writer. */
  failing: z
    .array(
      z.object({
        part: z.enum(SUPERVISED_PARTS),
        of: z.string().optional(),
        since: z.number(),
        reason: z.enum(PART_FAILURES),
      }),
    )
    .optional()
    .catch(undefined),
  /** For each server, the version of its demand that is planned for. */
  plannedFor: z.record(z.string(), countSchema),
});
export type WrittenPlan = z.infer<typeof planSchema>;

export interface PlanToWrite extends Pick<WrittenPlan, 'writer' | 'servers' | 'plannedFor'> {
  readonly failing: readonly PartFailure[];
  readonly planned: PlannedAreas;
  readonly snapshots: Snapshots;
  readonly clock: UpstreamClock;
}

/** Further digits of an interval change all the time. */
const INTERVAL_DIGITS = 3;

export function writtenPlan({ planned, snapshots, clock, failing, ...rest }: PlanToWrite): WrittenPlan {
  const { ratePerS } = planned;
  return {
    at: epochMs(clock.now()),
    ...rest,
    jobs: planned.jobs.map((job) => writtenJob(job, planned.mayRequest(job), snapshots, clock)),
    ...(ratePerS === undefined ? {} : { ratePerS: Number(ratePerS.toPrecision(INTERVAL_DIGITS)) }),
    viewers: planned.viewers,
    isKeyRefused: planned.isKeyRefused,
    failing: failing.map(({ since, ...failure }) => ({ ...failure, since: epochMs(clock.fromLocal(since)) })),
    operations: {
      rid: writtenOperation(planned.operation('rid'), clock),
      adsb: writtenOperation(planned.operation('adsb'), clock),
    },
  };
}

export function readPlan(body: string): WrittenPlan | undefined {
  try {
    return planSchema.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}

function writtenJob(job: RefreshJob, answer: MayRequest, snapshots: Snapshots, clock: UpstreamClock): WrittenJob {
  const { area, apartFor, views, startedAt, queued, running, failure } = job;
  const at = (instant: LocalInstant) => epochMs(clock.fromLocal(instant));
  const snapshot = snapshots.of(area);
  return {
    layer: area.layer,
    box: corners(area.bbox) as [number, number, number, number],
    number: job.number,
    ...(apartFor === undefined ? {} : { apartFor }),
    views: views.values().reduce((sum, each) => sum + each, 0),
    zones: zonesAmong(views),
    cost: job.cost,
    intervalMs: Number(job.intervalMs.toPrecision(INTERVAL_DIGITS)),
    ...(startedAt === undefined ? {} : { startedAt: at(startedAt) }),
    spending: job.spending === 'first-view' ? 'first-view' : 'scheduled',
    ...(queued
      ? { turn: { claims: [...queued.claims], ...(queued.at === undefined ? {} : { at: at(queued.at) }) } }
      : {}),
    isRunning: running !== undefined,
    ...(failure
      ? { failure: { cooldown: writtenCooldown(failure.cooldown, clock), since: epochMs(failure.since) } }
      : {}),
    ...(running || answer === 'yes' ? {} : { waits: writtenObstacle(answer, clock) }),
    ...(snapshot ? { edition: { name: snapshot.name, sequence: snapshot.sequence } } : {}),
  };
}

/** A job of a written plan, without what is running: the reader knows that. */
export function jobOf(job: WrittenJob, clock: UpstreamClock): RefreshJob {
  const { layer, box, startedAt, turn, failure } = job;
  const local = (at: number) => clock.toLocal(upstreamInstant(at));
  return {
    ...plainJob(areaOf(layer, boxFromCorners(box))),
    number: job.number,
    apartFor: job.apartFor,
    views: new Map([['', job.views - job.zones], ...(job.zones > 0 ? [[ZONES, job.zones] as const] : [])]),
    cost: job.cost,
    intervalMs: job.intervalMs,
    startedAt: startedAt === undefined ? undefined : local(startedAt),
    spending: job.spending,
    queued: turn && { claims: new Map(turn.claims), at: turn.at === undefined ? undefined : local(turn.at) },
    failure: failure && { cooldown: cooldownOf(failure.cooldown, clock), since: upstreamInstant(failure.since) },
  };
}

export function answerOf({ waits }: WrittenJob, clock: UpstreamClock, now: LocalInstant): MayRequest {
  if (!waits) return 'yes';
  const obstacle: Obstacle =
    waits.kind === 'waits'
      ? { ...waits, until: waits.until === undefined ? undefined : clock.toLocal(upstreamInstant(waits.until)) }
      : cooldownOf(waits, clock);
  const until = 'until' in obstacle ? obstacle.until : undefined;
  return until !== undefined && until <= now ? 'yes' : obstacle;
}

function operationOf(state: WrittenPlan['operations']['rid'], clock: UpstreamClock): OperationState {
  if (state.kind !== 'denied' && state.kind !== 'failing') return state as OperationState;
  const { reason, until } = state.cooldown;
  return { ...state, cooldown: { kind: 'timed', reason, until: clock.toLocal(upstreamInstant(until)) } };
}

function writtenOperation(state: OperationState, clock: UpstreamClock): z.infer<typeof operationSchema> {
  if (state.kind !== 'denied' && state.kind !== 'failing') return state;
  const { reason, until } = state.cooldown;
  return { ...state, cooldown: { kind: 'timed', reason, until: epochMs(clock.fromLocal(until)) } };
}

function writtenObstacle(obstacle: Obstacle, clock: UpstreamClock): WrittenJob['waits'] {
  if (obstacle.kind !== 'waits') return writtenCooldown(obstacle, clock);
  const { kind, reason, until } = obstacle;
  return { kind, reason, ...(until === undefined ? {} : { until: epochMs(clock.fromLocal(until)) }) };
}

function writtenCooldown(cooldown: Cooldown, clock: UpstreamClock): z.infer<typeof cooldownSchema> {
  return cooldown.kind === 'timed' ? { ...cooldown, until: epochMs(clock.fromLocal(cooldown.until)) } : cooldown;
}

function cooldownOf(cooldown: z.infer<typeof cooldownSchema>, clock: UpstreamClock): Cooldown {
  return cooldown.kind === 'timed' ? { ...cooldown, until: clock.toLocal(upstreamInstant(cooldown.until)) } : cooldown;
}

/** Publishes the writer's plan. An unchanged one only gets a sign of life. */
export class PublishedPlan {
  readonly #board: ServerBoard;
  readonly #fence: number;
  #body = '';
  #number = 0;

  constructor(board: ServerBoard, fence: number) {
    this.#board = board;
    this.#fence = fence;
  }

  /** @throws DatabaseFailure */
  async publish(toWrite: PlanToWrite): Promise<void> {
    const { at, ...plan } = writtenPlan(toWrite);
    const body = JSON.stringify(plan);
    const isSame = body === this.#body;
    if (!isSame) this.#number++;
    const text = isSame ? undefined : `{"at":${at},${body.slice(1)}`;
    const isWritten = await this.#board.writePlan(this.#fence, this.#number, text);
    // A crash of the database emptied the table.
    this.#body = isWritten ? body : '';
  }
}

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
  readonly arrival: (area: LiveArea) => Promise<void>;
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
      // An arriving snapshot is on the way to this server.
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
