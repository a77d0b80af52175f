import 'server-only';
import type { Logger } from 'pino';
import type { LocalInstant, UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { SHARED_ENTRIES_MAX } from '../audit/shared-audit.ts';
import type { AreaReads } from '../ports/area-reads.ts';
import type { Leases } from '../ports/lease.ts';
import { RedisConnection, type RedisState } from '../redis/connection/redis-connection.ts';
import type { RedisTarget } from '../redis/connection/redis-target.ts';
import { RedisLoadLines } from '../redis/past/redis-load-lines.ts';
import { RedisParts } from '../redis/past/redis-parts.ts';
import { RedisDemands } from '../redis/planning/redis-demands.ts';
import { RedisPlan } from '../redis/planning/redis-plan.ts';
import { RedisLeases } from '../redis/redis-leases.ts';
import { RedisLedger } from '../redis/redis-ledger.ts';
import { RedisRows } from '../redis/redis-rows.ts';
import { RedisSnapshots } from '../redis/redis-snapshots.ts';
import { RedisSpent } from '../redis/redis-spent.ts';
import { RedisPasskeyCounts } from '../redis/sessions/redis-passkey-counts.ts';
import { RedisSessionSecret } from '../redis/sessions/redis-session-secret.ts';
import { RedisSessions } from '../redis/sessions/redis-sessions.ts';
import { RedisShortLived } from '../redis/sessions/redis-short-lived.ts';
import { RedisTallies } from '../redis/sessions/redis-tallies.ts';
import { SHARED_VIEWS_MAX } from '../views/shared-views.ts';

/** After the last change; the servers’ own copies last, and give the store again what it has forgotten. */
const VIEWS_KEPT_MS = 90 * DAY_MS;

/** Sooner than a server starts. */
const SECRET_ASKED_EVERY_MS = SECOND_MS;

export interface FleetStoresOptions {
  /** Names the upstream account: servers with the same one share its allowance. */
  readonly account: string;
  /** For which records of the audit are kept. */
  readonly auditDays: number;
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
  readonly parts: RedisParts;
  readonly loadLines: RedisLoadLines;
  readonly sessions: RedisSessions;
  readonly tallies: RedisTallies;
  readonly passkeyCounts: RedisPasskeyCounts;
  readonly shortLived: RedisShortLived;
  readonly secret: RedisSessionSecret;
  readonly spent: RedisSpent;
  readonly auditRows: RedisRows;
  readonly planning: { readonly plans: RedisPlan; readonly demands: RedisDemands; storeState(): RedisState };
  readonly viewRows: RedisRows;

  readonly #asksForSecret: NodeJS.Timeout;

  constructor(target: RedisTarget, { account, auditDays, upstreamNow, reads, now, wallNow, log }: FleetStoresOptions) {
    const random = Math.random;
    const connection = new RedisConnection(target, { now, random, log, upstream: account });
    this.connection = connection;
    this.ledger = new RedisLedger({ connection, account, now: upstreamNow, random, log });
    this.leases = onWallClock(new RedisLeases(connection), wallNow);
    this.snapshots = new RedisSnapshots({ connection, reads, now, log });
    this.parts = new RedisParts({ connection, account, leases: this.leases, now, log });
    this.loadLines = new RedisLoadLines({ connection, now: wallNow });
    this.sessions = new RedisSessions({ connection, now: wallNow, log });
    this.tallies = new RedisTallies({ connection, random, log });
    this.passkeyCounts = new RedisPasskeyCounts({ connection, now: wallNow, log });
    this.shortLived = new RedisShortLived({ connection, now: wallNow, log });
    this.secret = new RedisSessionSecret({ connection, now: wallNow, log });
    const auditKept = { keptMax: SHARED_ENTRIES_MAX, keptMs: auditDays * DAY_MS };
    this.auditRows = new RedisRows({ connection, log, name: 'audit', ...auditKept });
    this.viewRows = new RedisRows({ connection, log, name: 'views', keptMax: SHARED_VIEWS_MAX, keptMs: VIEWS_KEPT_MS });
    this.spent = new RedisSpent({ connection, log });
    this.planning = {
      plans: new RedisPlan(connection, log),
      demands: new RedisDemands(connection),
      storeState: () => connection.state,
    };
    // Known before it is needed: whoever asks first after the store has lost everything gives back the one that cookies were sealed with. Also where
    // nobody asks this server for anything: one that has just started would be faster.
    const askForSecret = () => void this.secret.current().catch(() => undefined);
    connection.onChange(({ kind }) => {
      if (kind === 'reachable') askForSecret();
    });
    this.#asksForSecret = setInterval(askForSecret, SECRET_ASKED_EVERY_MS).unref();
  }

  /** After everything that uses it. */
  async close(): Promise<void> {
    clearInterval(this.#asksForSecret);
    await this.spent.close();
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
