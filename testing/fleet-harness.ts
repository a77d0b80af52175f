import { pino } from 'pino';
import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { FleetLive } from '#lib/server/fleet/fleet-live.ts';
import type { ViewerPage } from '#lib/server/live/demand.ts';
import { LiveReader } from '#lib/server/live/live-reader.ts';
import { DemandProfile } from '#lib/server/live/pace/demand-profile.ts';
import { StatusReader } from '#lib/server/live/status-reader.ts';
import { AreaReads } from '#lib/server/ports/area-reads.ts';
import type { RedisConnection } from '#lib/server/redis/connection/redis-connection.ts';
import { RedisDemands } from '#lib/server/redis/planning/redis-demands.ts';
import { RedisPlan } from '#lib/server/redis/planning/redis-plan.ts';
import { RedisLeases } from '#lib/server/redis/redis-leases.ts';
import { RedisLedger } from '#lib/server/redis/redis-ledger.ts';
import { becomes, newConnection, type RedisServer } from '#lib/server/redis/redis-server.fixture.ts';
import { RedisSnapshots } from '#lib/server/redis/redis-snapshots.ts';
import { fixedApiKey } from '#lib/server/upstream/api-key.ts';
import { UpstreamClient } from '#lib/server/upstream/upstream-client.ts';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { type ServiceOptions, startService } from '#service/server/start-service.ts';
import { startCuttableWire } from './cuttable-wire.ts';
import { PATIENT_TIMEOUTS, steadyTraffic } from './live-harness.ts';

const START_MS = Date.UTC(2026, 10, 21, 12, 0, 10);
const VIEW: Bbox = { west: 8, south: 47, east: 9, north: 48 };
/** Of the shared store: a busy machine may take its time. */
const STORE_TIMEOUT_MS = 2000;

/** One server of a fleet, without its front. */
export interface FleetMember {
  readonly name: string;
  readonly live: FleetLive;
  readonly reader: LiveReader;
  readonly status: StatusReader;
  readonly connection: RedisConnection;
  /** Nothing of the shared store reaches it any more, and it reaches nothing. */
  cut(): void;
  heal(): void;
  /** It is gone, at once, and has announced it to nobody. */
  kill(): void;
}

interface FleetHarnessOptions extends Partial<ServiceOptions> {
  readonly redis: RedisServer;
  readonly members?: number;
}

/** Several servers over one shared store and one service, on clocks that only move when they are told to; so do their beats. */
export async function startFleetHarness({ redis, members: count = 3, ...options }: FleetHarnessOptions) {
  let nowMs = START_MS;
  const now = () => localInstant(nowMs);
  const service = await startService({
    source: steadyTraffic(3),
    now: () => upstreamInstant(nowMs),
    referenceSecret: new Uint8Array(32).fill(7),
    ...options,
  });
  /** Mistakes of ours, which no test should be able to cause. */
  const mistakes: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void mistakes.push(line) });
  const all: FleetMember[] = [];
  const closing: (() => Promise<void>)[] = [];

  async function join(name: string): Promise<FleetMember> {
    const wire = await startCuttableWire(redis.port);
    const target = { ...redis.target, at: { host: '127.0.0.1', port: wire.port } };
    const connection = newConnection(target, { timeoutMs: STORE_TIMEOUT_MS, now });
    const upstreamNow = () => client.clock.now();
    const beats = { beatEveryMs: 0, quietMs: 0 };
    const ledger = new RedisLedger({
      connection,
      account: 'one',
      log,
      now: upstreamNow,
      random: Math.random,
      ...beats,
    });
    const leases = new RedisLeases(connection);
    const reads = new AreaReads();
    const snapshots = new RedisSnapshots({ connection, reads, now, log, checkEveryMs: 0 });
    const client = new UpstreamClient({
      baseUrl: service.baseUrl,
      ledger,
      key: fixedApiKey(service.apiKey),
      trackPrefix: undefined,
      now,
      random: () => 0.999,
      log,
      timeouts: PATIENT_TIMEOUTS,
    });
    const live = new FleetLive({
      name,
      client,
      ledger,
      leases,
      snapshots,
      reads,
      profile: new DemandProfile(),
      // Longer than a beat, so that refreshes and beats can be told apart.
      limits: { minMs: 5000, maxMs: 120_000 },
      now,
      // Exactly the interval, so that due refreshes can be counted.
      random: () => 0.5,
      plans: new RedisPlan(connection, log),
      demands: new RedisDemands(connection),
      storeState: () => connection.state,
      log,
      monotonicMs: () => nowMs,
    });
    await becomes(connection, 'reachable');
    let isGone = false;
    const kill = () => {
      if (isGone) return;
      isGone = true;
      all.splice(all.indexOf(member), 1);
      connection.close();
    };
    const member: FleetMember = {
      name,
      live,
      reader: new LiveReader({ planned: live, snapshots, reads, clock: client.clock, now }),
      status: new StatusReader({
        clock: client.clock,
        ledger,
        snapshots,
        planned: live,
        checkAccount: () => client.retryAccount(),
        now,
      }),
      connection,
      cut: wire.cut,
      heal: wire.heal,
      kill,
    };
    closing.push(async () => {
      await live.close(0);
      kill();
      await client.close();
      await wire.close();
    });
    all.push(member);
    return member;
  }

  for (let index = 0; index < count; index++) await join(`server-${index + 1}`);
  return {
    service,
    /** Those that run. */
    members: all as readonly FleetMember[],
    join,
    now,
    /** Time passes at all of them, and none beats meanwhile. */
    pass(ms: number) {
      nowMs += ms;
    },
    /** One beat of each, in their order. */
    async beat(members: readonly FleetMember[] = all) {
      for (const { live } of members) await live.beat();
    },
    /** So much time passes, and each of them beats each second of it. */
    async live(ms: number, members: readonly FleetMember[] = all) {
      for (const endMs = nowMs + ms; nowMs < endMs; ) {
        nowMs += 1000;
        for (const { live } of members) await live.beat();
        for (const { live } of members) await live.idle();
      }
    },
    planner: () => all.find(({ live }) => live.isPlanner),
    countOf: (operation: string) => service.requests().filter((request) => request.operation === operation).length,
    async close() {
      for (const close of closing) await close();
      await service.close(0);
      if (mistakes.length > 0) throw new Error(mistakes.join(''));
    },
  };
}

export type FleetHarness = Awaited<ReturnType<typeof startFleetHarness>>;

/** What an operator's page sees at that server. */
export async function seenAt(
  { reader }: FleetMember,
  page = 'only',
  view: Bbox = VIEW,
  layers: readonly Layer[] = ['adsb'],
) {
  const viewer: ViewerPage = { operator: 'local', session: undefined, page };
  const { layers: seen } = await reader.read(viewer, view, layers);
  if (!seen.adsb) throw new Error('the requested layer is missing');
  return seen.adsb;
}
