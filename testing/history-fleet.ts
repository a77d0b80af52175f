import { AreaReads } from '#lib/server/ports/area-reads.ts';
import type { RedisConnection } from '#lib/server/redis/connection/redis-connection.ts';
import { RedisLoadLines } from '#lib/server/redis/past/redis-load-lines.ts';
import { RedisParts } from '#lib/server/redis/past/redis-parts.ts';
import { RedisLeases } from '#lib/server/redis/redis-leases.ts';
import { RedisLedger } from '#lib/server/redis/redis-ledger.ts';
import { connectTo, type RedisServer } from '#lib/server/redis/redis-server.fixture.ts';
import { RedisSnapshots } from '#lib/server/redis/redis-snapshots.ts';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '#service/sources/observation.ts';
import { type HistoryHarness, startHistoryHarness } from './history-harness.ts';

const START_MS = Date.UTC(2026, 10, 21, 12, 0, 10);
const log = { warn: () => undefined };

/** One server of a fleet, as far as it loads the past. */
export interface Replica {
  readonly history: HistoryHarness;
  readonly connection: RedisConnection;
}

/** Several servers in one process over one Redis and one service, on one clock. */
export class HistoryFleet {
  readonly replicas: Replica[] = [];
  #nowMs = START_MS;
  readonly #ledgers: RedisLedger[] = [];
  readonly #server: RedisServer;
  readonly #observations: readonly Observation[];

  constructor(server: RedisServer, observations: readonly Observation[]) {
    this.#server = server;
    this.#observations = observations;
  }

  async add(): Promise<Replica> {
    const connection = await connectTo(this.#server.target, { timeoutMs: 2000 });
    const now = () => localInstant(this.#nowMs);
    const upstreamNow = () => upstreamInstant(this.#nowMs);
    const common = { connection, account: 'past', log };
    const ledger = new RedisLedger({ ...common, now: upstreamNow, random: Math.random, beatEveryMs: 0, quietMs: 0 });
    this.#ledgers.push(ledger);
    const leases = new RedisLeases(connection);
    const reads = new AreaReads();
    const snapshots = new RedisSnapshots({ connection, reads, now, log });
    const service = this.replicas[0]?.history.live.service;
    const history = await startHistoryHarness(this.#observations, {
      startMs: this.#nowMs,
      now: upstreamNow,
      stores: { ledger, leases, snapshots, reads },
      shared: new RedisParts({ ...common, leases, now, pollMs: 20 }),
      lines: new RedisLoadLines({ connection, now }),
      ...(service && { service }),
    });
    const replica = { history, connection };
    this.replicas.push(replica);
    return replica;
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    for (const { history } of this.replicas) history.live.moveClock(ms);
  }

  requests(): number {
    return this.replicas[0]?.history.requests() ?? 0;
  }

  async close(): Promise<void> {
    for (const ledger of this.#ledgers) await ledger.close();
    for (const { history, connection } of this.replicas.toReversed()) {
      await history.live.close();
      connection.close();
    }
  }
}
