import type { Layer } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { addMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { gapWindow } from '#lib/zones/evaluate-gap.ts';
import type { Database } from '../../database/database.ts';
import type { WriterLease } from '../../database/writer-lease.ts';
import { AreaReads } from '../../live/area-reads.ts';
import { areaOf } from '../../live/snapshots.ts';
import { strictSupervisor } from '../../supervision/supervisor.fixture.ts';
import type { Supervisor } from '../../supervision/supervisor.ts';
import { AlarmStore } from '../alarms/alarm-store.ts';
import { CurrentZones } from '../current-zones.ts';
import { Permits } from '../permits.ts';
import { Zones } from '../zones.ts';
import { pastBetween, readAt, timeOf, WORLD_START } from './crossing-world.fixture.ts';
import { GapStore } from './history-gaps.ts';
import { ZoneWatch } from './zone-watch.ts';

const log = { error: () => undefined };

export class RunningWatch {
  readonly zones: Zones;
  readonly permits: Permits;
  readonly current: CurrentZones;
  readonly watch: ZoneWatch;
  readonly #reads = new AreaReads();
  readonly #gaps: GapStore;
  readonly #lease: WriterLease;
  #now = WORLD_START;

  private constructor(database: Database, lease: WriterLease, startedAt: UpstreamInstant, supervisor: Supervisor) {
    const now = () => this.#now;
    this.#now = startedAt;
    this.#lease = lease;
    this.zones = new Zones(database, now);
    this.permits = new Permits(database, now, { changed: () => undefined });
    this.current = new CurrentZones(this.zones, supervisor.part('zones'), this.permits);
    this.#gaps = new GapStore(database);
    this.watch = new ZoneWatch({
      part: supervisor.part('watch'),
      store: new AlarmStore(database),
      lease,
      reads: this.#reads,
      snapshots: { of: () => undefined },
      planned: { jobsOver: () => [] },
      current: this.current,
      now,
      whyAway: 'stopped',
      log,
      onAlarms: () => undefined,
    });
  }

  static async start(
    database: Database,
    lease: WriterLease,
    step = 0,
    supervisor = strictSupervisor(),
  ): Promise<RunningWatch> {
    return RunningWatch.startAt(database, lease, timeOf(step), supervisor);
  }

  static async startAt(
    database: Database,
    lease: WriterLease,
    now: UpstreamInstant,
    supervisor = strictSupervisor(),
  ): Promise<RunningWatch> {
    const running = new RunningWatch(database, lease, now, supervisor);
    await running.current.read();
    return running;
  }

  async read(step: number, reception?: Reception): Promise<void> {
    this.#now = timeOf(step);
    this.#reads.publish({ ...readAt(step), reception });
    await this.watch.idle();
  }

  /** Reads an answer in which nothing is received. */
  async readNothing(at: UpstreamInstant, reception?: Reception, layer: Layer = 'rid'): Promise<void> {
    this.#now = at;
    const { area } = readAt(0);
    this.#reads.publish({
      kind: 'read',
      area: areaOf(layer, area.bbox),
      positions: new Map(),
      readAt: at,
      isComplete: true,
      reception,
    });
    await this.watch.idle();
  }

  async passAt(at: UpstreamInstant): Promise<void> {
    this.#now = at;
    this.watch.pass();
    await this.watch.idle();
  }

  /** Lets time pass without a read. */
  async pass(step: number): Promise<void> {
    await this.passAt(timeOf(step));
  }

  async makeUp(): Promise<void> {
    const { fence } = this.#lease;
    const zones = new Map(this.current.all.map((zone) => [zone.id, zone]));
    for (const gap of await this.#gaps.open([...zones.keys()], addMs(WORLD_START, -1), this.#now)) {
      const zone = zones.get(gap.zoneId);
      if (!zone || fence === undefined) continue;
      const { zoneId, layer, fromMs, toMs } = gap;
      const stretch = { zoneId, layer, from: upstreamInstant(fromMs), to: upstreamInstant(toMs) };
      const { start, end } = gapWindow(zone, stretch);
      this.watch.takeGap({
        kind: 'gap',
        gap: stretch,
        observations: pastBetween(start, end),
        madeUp: [{ ...gap, state: 'watched', reason: null }],
      });
      await this.watch.idle();
    }
  }

  async close(): Promise<void> {
    await this.watch.close();
    await this.current.close();
  }
}
