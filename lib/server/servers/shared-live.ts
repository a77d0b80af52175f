import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import * as z from 'zod/mini';
import { Coalesced, Paced } from '#lib/async/coalesced.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { Asks } from '../database/asks.ts';
import type { Database } from '../database/database.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import type { WriterLease } from '../database/writer-lease.ts';
import type { AreaSnapshots } from '../live/area-snapshots.ts';
import { type LiveEngine, type LiveEngineOptions, LiveWriter } from '../live/live-engine.ts';
import { noteRead } from '../live/live-plan.ts';
import { FIRST_VIEW_WAIT_MS, LiveReader } from '../live/live-reader.ts';
import type { ViewerPage } from '../live/plan/demand.ts';
import type { ZoneBox } from '../live/plan/demand-of-all.ts';
import { isCovered } from '../live/plan/plan-areas.ts';
import type { KnownServers, PlannedAreas } from '../live/planned-areas.ts';
import { plainJob, type RefreshJob } from '../live/refresh-job.ts';
import { areaOf } from '../live/snapshots.ts';
import { MACHINE } from '../machine.ts';
import type { KnownFailure, Part, Supervisor } from '../supervision/supervisor.ts';
import type { OperationState } from '../upstream/circuit.ts';
import type { TimedCooldown } from '../upstream/cooldown.ts';
import type { MayRequest } from '../upstream/may-request.ts';
import { OwnReport, ReportedDemand } from './demand-reports.ts';
import { DEMAND_FORM, DEMAND_TOPIC, PLAN_FORM, PLAN_TOPIC, ServerBoard } from './server-board.ts';
import { SharedFrames } from './shared-frames.ts';
import { PlanFollower, PublishedPlan, type SeenPlan, WRITER_SILENT_MS, type WrittenPlan } from './shared-plan.ts';
import type { WriterElection } from './writer-election.ts';

const BEAT_MS = SECOND_MS;
const WRITTEN_EVERY_MS = 100;
const ACCOUNT = 'account';
const retrySchema = z.enum([...LAYERS, ACCOUNT]);
/** The pause of a new writer that could not read what it needs. */
const TAKEOVER_RETRIED_MS = 250;
/** The pause after a defect such as a damaged row. */
const DEFECT_RETRIED_MS = 5 * SECOND_MS;
/** Snapshots of unplanned areas are kept for this long: a viewer may pan back. */
const SNAPSHOT_KEPT_MS = 3 * MINUTE_MS;

interface SharedLiveOptions extends LiveEngineOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  readonly supervisor: Pick<Supervisor, 'part' | 'failing'>;
  readonly id: string;
  readonly name: string;
  readonly snapshots: AreaSnapshots;
  /** Reads what only the writer has, before its first request. @throws DatabaseFailure */
  readonly becomeWriter: (fence: number) => Promise<void>;
  readonly becomeReader: () => Promise<void>;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

interface SharedEngineOptions extends SharedLiveOptions {
  readonly lease: WriterElection;
}

/** The live picture of one of several servers. Resolves when this server has a role and has reported itself. */
export async function startSharedEngine(
  options: SharedEngineOptions,
): Promise<LiveEngine & { readonly planned: SharedLive }> {
  const { snapshots, reads, client, now, lease } = options;
  client.clock.onSetBack((ms) => {
    if (lease.fence !== undefined) snapshots.setBack(ms);
  });
  const planned = new SharedLive(options);
  const reader = new LiveReader({ planned, snapshots, reads, clock: client.clock, now });
  await lease.start();
  await planned.settled();
  await planned.beat();
  const leave = async () => {
    await planned.resign();
    await lease.close();
  };
  return {
    planned,
    reader,
    checkAccount: () => planned.checkAccount(),
    upstreamChanged: (layer) => planned.changed(layer),
    watch: (boxes) => planned.watch(boxes),
    leave,
    async close() {
      reader.close();
      await leave();
      await planned.close();
    },
  };
}

/**
 * The live picture of several servers with one database. The writer schedules for all viewers; a reader reports its
 * demand, and follows the plan. Only the writer requests. When the lease changes, a server changes its role.
 */
class SharedLive implements PlannedAreas {
  readonly #options: SharedLiveOptions;
  readonly #board: ServerBoard;
  readonly #frames: SharedFrames;
  readonly #follower: PlanFollower;
  readonly #report: OwnReport;
  readonly #reported: ReportedDemand;
  readonly #retries: Asks<z.infer<typeof retrySchema>>;
  readonly #parts: Readonly<Record<'takeover' | 'beat' | 'follow' | 'asks', Part>>;
  readonly #reporting: Paced;
  readonly #publishing: Paced;
  readonly #collecting: Paced;
  readonly #retrying: Paced;
  readonly #beats = new Coalesced(() => this.#parts.beat.run(() => this.#beat()));
  readonly #unlisten: (() => void)[];
  readonly #timer: NodeJS.Timeout;
  #writer: { readonly live: LiveWriter; readonly fence: number; readonly published: PublishedPlan } | undefined;
  #changingRole: Promise<void> = Promise.resolve();
  #plannedFor: Readonly<Record<string, number>> = {};
  #isLeaving = false;

  constructor(options: SharedLiveOptions) {
    this.#options = options;
    const { database, lease, demand, id, name, log, supervisor } = options;
    this.#parts = {
      takeover: supervisor.part('writer', 'takeover'),
      beat: supervisor.part('servers', 'beat'),
      follow: supervisor.part('servers', 'follow'),
      asks: supervisor.part('servers', 'asks'),
    };
    this.#board = new ServerBoard(database);
    this.#frames = new SharedFrames({ ...options, part: supervisor.part('servers', 'frames') });
    this.#follower = new PlanFollower({ ...options, board: this.#board, clock: options.client.clock });
    this.#report = new OwnReport(this.#board, demand.own, id, name);
    this.#reported = new ReportedDemand(this.#board, demand, id, log);
    this.#retries = new Asks(database, 'retry', retrySchema);
    const paced = (of: string, work: () => Promise<void>) => {
      const part = supervisor.part('servers', of);
      return new Paced(WRITTEN_EVERY_MS, () => part.run(work), MACHINE);
    };
    this.#reporting = paced('report', () => this.#report.write());
    this.#publishing = paced('publish', () => this.#publish());
    this.#collecting = paced('collect', () => this.#collect());
    this.#retrying = paced('answers', () => this.#retry());
    this.#unlisten = [
      lease.onChange(() => this.#changeRole()),
      database.listen(
        PLAN_TOPIC,
        (text) => {
          // A `Part` never rejects, here and below.
          if (!this.#writer) void this.#parts.follow.run(() => this.#followPlan(text));
        },
        PLAN_FORM,
      ),
      database.listen(
        DEMAND_TOPIC,
        (server) => {
          if (this.#writer && server !== id) this.#collecting.soon();
        },
        DEMAND_FORM,
      ),
      this.#retries.onChange(() => this.#retrying.soon()),
    ];
    this.#timer = setInterval(() => void this.beat(), BEAT_MS).unref();
    this.#changeRole();
  }

  get servers(): KnownServers {
    const all = (rows: readonly { readonly name: string; readonly viewers: number }[]) =>
      rows.map(({ name, viewers }) => ({ name, viewers }));
    if (this.#writer)
      return {
        writer: this.#options.name,
        all: all(this.#reported.servers.filter(({ isPresent }) => isPresent)),
        failing: [],
      };
    const plan = this.#follower.latest?.plan;
    return {
      writer: this.#isWriterGone ? undefined : plan?.writer,
      all: all(plan?.servers ?? []),
      failing: failingAt(plan),
    };
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
    return this.#seen?.viewers ?? this.#options.demand.own.viewers;
  }

  get isKeyRefused(): boolean {
    return this.#seen?.isKeyRefused ?? false;
  }

  jobsOver(layer: Layer, box: Bbox): readonly RefreshJob[] {
    const over = this.#seen?.jobsOver(layer, box) ?? [];
    const isUnplanned = over.length === 0 && !this.#isPlannedFor(this.#options.demand.own.version);
    return this.#explained(isUnplanned ? [plainJob(areaOf(layer, box))] : over);
  }

  mayRequest(job: RefreshJob): MayRequest {
    return this.#problem()?.cooldown ?? this.#seen?.mayRequest(job) ?? 'yes';
  }

  expectedPerSecond(layer: Layer, box: Bbox): number | undefined {
    return this.#seen?.expectedPerSecond(layer, box);
  }

  operation(layer: Layer): OperationState {
    return this.#seen?.operation(layer) ?? { kind: 'unproven' };
  }

  async register(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[]): Promise<void> {
    if (this.#writer) return await this.#writer.live.scheduler.register(viewer, boxes, layers);
    const { own } = this.#options.demand;
    const { version } = own;
    own.polled(viewer, boxes, layers, this.#options.now());
    if (own.version !== version) this.#reporting.soon();
    await this.#planned(viewer, boxes, layers);
  }

  retryNow(layer: Layer): void {
    if (this.#writer) this.#writer.live.scheduler.retryNow(layer);
    else void this.#parts.asks.run(() => this.#retries.ask(layer));
  }

  async checkAccount(): Promise<void> {
    if (this.#writer) await this.#options.client.retryAccount();
    else await this.#parts.asks.run(() => this.#retries.ask(ACCOUNT));
  }

  changed(layer: Layer): void {
    this.#writer?.live.scheduler.changed(layer);
  }

  /** Replaces the boxes of zones while this server is the writer. */
  watch(boxes: readonly ZoneBox[]): void {
    this.#options.demand.watch(boxes);
    void this.#writer?.live.scheduler.tick();
  }

  async beat(): Promise<void> {
    await this.#beats.join();
  }

  async settled(): Promise<void> {
    await this.#changingRole;
  }

  /** Starts no further refresh. The lease must be given up afterwards. */
  async resign(): Promise<void> {
    this.#isLeaving = true;
    this.#changeRole();
    await this.#changingRole;
  }

  async close(): Promise<void> {
    await this.resign();
    clearInterval(this.#timer);
    for (const end of this.#unlisten) end();
    await Promise.all([
      this.#follower.close(),
      ...[this.#reporting, this.#publishing, this.#collecting, this.#retrying].map((work) => work.stop()),
      this.#beats.idle(),
    ]);
    await this.#parts.beat.run(() => this.#report.write(true));
    await this.#frames.close();
  }

  get #seen(): SeenPlan | undefined {
    return this.#writer ? this.#writer.live.scheduler : this.#follower.latest;
  }

  get #isWriterGone(): boolean {
    return !this.#writer && this.#follower.silentMs >= WRITER_SILENT_MS;
  }

  #isPlannedFor(version: number): boolean {
    if (this.#writer) return true;
    return (this.#follower.latest?.plan.plannedFor[this.#options.id] ?? -1) >= version;
  }

  #changeRole(): void {
    this.#changingRole = this.#changingRole.then(async () => {
      await this.#parts.takeover.run(() => this.#takeRole());
    });
  }

  async #takeRole(): Promise<void> {
    const { lease, becomeReader } = this.#options;
    const fence = () => (this.#isLeaving ? undefined : lease.fence);
    if (this.#writer && this.#writer.fence !== fence()) {
      const { live } = this.#writer;
      await live.stop();
      await this.#parts.beat.run(() => this.#frames.flush());
      this.#writer = undefined;
      this.#frames.read();
      await becomeReader();
      this.#reported.forget();
      this.#follower.writerEnded();
      this.#follower.wake();
    }
    for (;;) {
      const next = fence();
      if (next === undefined || this.#writer) return;
      try {
        await this.#lead(next);
        return;
      } catch (error) {
        this.#parts.takeover.failed(error);
        await delay(error instanceof DatabaseFailure ? TAKEOVER_RETRIED_MS : DEFECT_RETRIED_MS, undefined, {
          ref: false,
        });
      }
    }
  }

  async #lead(fence: number): Promise<void> {
    const { becomeWriter } = this.#options;
    await becomeWriter(fence);
    await this.#frames.compare();
    await this.#follower.read();
    await this.#reported.read();
    this.#frames.write(fence);
    const live = new LiveWriter({ ...this.#options, afterGeneration: () => this.#publishing.soon() });
    this.#writer = { live, fence, published: new PublishedPlan(this.#board, fence) };
    this.#follower.wake();
    await live.scheduler.tick();
    this.#publishing.soon();
  }

  async #beat(): Promise<void> {
    const { demand, now } = this.#options;
    await this.#report.write();
    if (this.#writer) {
      await this.#collect();
      this.#publishing.soon();
    } else {
      demand.own.forgetSilent(now());
      await this.#followPlan(undefined);
      const { snapshots, client } = this.#options;
      const planned = new Set(this.#follower.latest?.jobs.map(({ area }) => area.key));
      snapshots.forgetBefore(addMs(client.clock.now(), -SNAPSHOT_KEPT_MS), planned);
    }
    await this.#frames.compare();
  }

  async #followPlan(text: string | undefined): Promise<void> {
    await this.#follower.noticed(text);
    const { latest } = this.#follower;
    const { own } = this.#options.demand;
    if (latest && this.#isPlannedFor(own.version)) noteRead(own, latest.jobs);
  }

  async #publish(): Promise<void> {
    const writer = this.#writer;
    if (!writer) return;
    const { snapshots, client, name } = this.#options;
    const { scheduler } = writer.live;
    if (scheduler.isPlanned) this.#plannedFor = this.#reported.versions;
    await writer.published.publish({
      planned: scheduler,
      snapshots,
      clock: client.clock,
      writer: name,
      servers: this.servers.all.map(({ name, viewers }) => ({ name, viewers })),
      plannedFor: this.#plannedFor,
      failing: this.#options.supervisor.failing,
    });
  }

  async #collect(): Promise<void> {
    if (await this.#reported.read()) void this.#writer?.live.scheduler.tick();
  }

  /** Answers the readers’ questions. */
  async #retry(): Promise<void> {
    if (!this.#writer) return;
    for (const { id, body: what } of await this.#retries.open()) {
      if (!(await this.#retries.answer(id))) continue;
      if (what === ACCOUNT) await this.#options.client.retryAccount();
      for (const layer of LAYERS) if (what === layer || what === ACCOUNT) this.#writer?.live.scheduler.retryNow(layer);
    }
  }

  /** Waits until the demand is planned for, unless the plan covers it anyway. */
  async #planned(viewer: ViewerPage, boxes: readonly Bbox[], layers: readonly Layer[]): Promise<void> {
    const { version } = this.#options.demand.own;
    const untilMs = performance.now() + FIRST_VIEW_WAIT_MS;
    while (!this.#isPlannedFor(version)) {
      const jobs = this.#seen?.jobs ?? [];
      const areas = (layer: Layer) => jobs.filter(({ area }) => area.layer === layer).map(({ area }) => area.bbox);
      if (layers.every((layer) => boxes.every((box) => isCovered(box, areas(layer))))) return;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0 || this.#problem()) return;
      await this.#follower.next(leftMs);
    }
    await this.#writer?.live.scheduler.register(viewer, boxes, layers);
  }

  /** Why nothing is refreshed at all; the writer's ledger explains its own pauses. */
  #problem(): { readonly cooldown: TimedCooldown; readonly silentMs: number } | undefined {
    if (!this.#isWriterGone) return undefined;
    const { database, now } = this.#options;
    const reason = database.failure?.kind === 'lost' ? ('database_lost' as const) : ('no_writer' as const);
    const cooldown = { kind: 'timed' as const, reason, until: addMs(now(), SECOND_MS) };
    return { cooldown, silentMs: this.#follower.silentMs };
  }

  #explained(jobs: readonly RefreshJob[]): readonly RefreshJob[] {
    const problem = this.#problem();
    if (!problem) return jobs;
    const since = addMs(this.#options.client.clock.now(), -problem.silentMs);
    return jobs.map((job) => ({ ...job, failure: { cooldown: problem.cooldown, since } }));
  }
}

function failingAt(plan: WrittenPlan | undefined): readonly KnownFailure[] {
  return (plan?.failing ?? []).map(({ of, since, ...failure }) => ({ ...failure, of, since: upstreamInstant(since) }));
}
