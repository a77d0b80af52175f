import 'server-only';
import type { Logger } from 'pino';
import type { LocalInstant, UpstreamInstant } from '#lib/time/instant.ts';
import type { AreaReads } from '../ports/area-reads.ts';
import type { Leases } from '../ports/lease.ts';
import { RedisConnection, type RedisState } from '../redis/connection/redis-connection.ts';
import type { RedisTarget } from '../redis/connection/redis-target.ts';
import { RedisDemands } from '../redis/planning/redis-demands.ts';
import { RedisPlan } from '../redis/planning/redis-plan.ts';
import { RedisLeases } from '../redis/redis-leases.ts';
import { RedisLedger } from '../redis/redis-ledger.ts';
import { RedisSnapshots } from '../redis/redis-snapshots.ts';

export interface FleetStoresOptions {
  /** Names the upstream account: servers with the same one share its allowance. */
  readonly account: string;
  /** Of the upstream's clock. Not called before it is made. */
  readonly upstreamNow: () => UpstreamInstant;
  /** Told of what other servers have read. */
  readonly reads: AreaReads;
  /** Never set: for what lasts or waits here. */
  readonly now: () => LocalInstant;
  /** The wall clock, which servers have in common. */
  readonly wallNow: () => LocalInstant;
  readonly log: Logger;
}

/** What this server shares with others, over one connection. */
export class FleetStores {
  readonly connection: RedisConnection;
  readonly ledger: RedisLedger;
  readonly leases: Leases;
  readonly snapshots: RedisSnapshots;
  readonly planning: { readonly plans: RedisPlan; readonly demands: RedisDemands; storeState(): RedisState };

  constructor(target: RedisTarget, { account, upstreamNow, reads, now, wallNow, log }: FleetStoresOptions) {
    const random = Math.random;
    const connection = new RedisConnection(target, { now, random, log, upstream: account });
    this.connection = connection;
    this.ledger = new RedisLedger({ connection, account, now: upstreamNow, random, log });
    this.leases = onWallClock(new RedisLeases(connection), wallNow);
    this.snapshots = new RedisSnapshots({ connection, reads, now, log });
    this.planning = {
      plans: new RedisPlan(connection, log),
      demands: new RedisDemands(connection),
      storeState: () => connection.state,
    };
  }

  /** After everything that uses it. */
  async close(): Promise<void> {
    this.connection.close();
  }
}

/** Servers compare the ends of each other's leases: they need a clock that they have in common. */
function onWallClock(leases: Leases, wallNow: () => LocalInstant): Leases {
  return {
    acquire: (name, ttlMs) => leases.acquire(name, ttlMs, wallNow()),
    renew: (lease, ttlMs) => leases.renew(lease, ttlMs, wallNow()),
    release: (lease) => leases.release(lease),
  };
}
