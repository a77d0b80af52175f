import 'server-only';
import { createHash } from 'node:crypto';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { KeptLedger } from '../allowance/kept-ledger.ts';
import { openLedger } from '../allowance/open-ledger.ts';
import type { Database } from '../database/database.ts';
import { EmbeddedLeases } from '../embedded/embedded-leases.ts';
import { EmbeddedSnapshots } from '../embedded/embedded-snapshots.ts';
import { NoAllowance } from '../embedded/no-allowance.ts';
import { startFleetEngine } from '../fleet/fleet-engine.ts';
import type { FleetStores } from '../fleet/fleet-stores.ts';
import { PartCache } from '../history/cache/part-cache.ts';
import { StoredParts } from '../history/cache/stored-parts.ts';
import { HistoryReader } from '../history/history-reader.ts';
import { LoadLines } from '../history/load-lines.ts';
import { WantedParts } from '../history/wanted/wanted-parts.ts';
import { type LiveEngine, startLiveEngine } from '../live/live-engine.ts';
import { KeptDemandProfile } from '../live/pace/kept-demand-profile.ts';
import { StatusReader } from '../live/status-reader.ts';
import type { MetricsSources } from '../metrics/metrics.ts';
import type { AreaReads } from '../ports/area-reads.ts';
import { ONLY_SERVER } from '../ports/seat.ts';
import { TrailKeeper } from '../trails/trail-keeper.ts';
import { TrailsReader } from '../trails/trails-reader.ts';
import { apiKeyFromFile, fixedApiKey } from '../upstream/api-key.ts';
import { sleep } from '../upstream/unless-aborted.ts';
import { UpstreamClient } from '../upstream/upstream-client.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import type { Ground } from './ground.ts';

/** The account at the upstream: what is asked of it, and what is known from it. */
export interface UpstreamRuntime {
  readonly live: LiveEngine;
  readonly trails: TrailsReader;
  readonly status: StatusReader;
  readonly history: HistoryReader;
  readonly clock: UpstreamClock;
  readonly client: UpstreamClient;
  readonly kept: MetricsSources['kept'];
  /** Sends no further request, and closes the stores. */
  close(): Promise<void>;
}

export async function upstreamRuntime(
  { config, log, now, wallNow, clock: machine, database }: Ground,
  fleet: FleetStores | undefined,
  reads: AreaReads,
): Promise<UpstreamRuntime> {
  const { key, baseUrl, trackPrefix, embedded } = config.upstream;
  const ledger = fleet?.ledger ?? (await ledgerOf(config.upstream, database));
  const client = new UpstreamClient({
    baseUrl,
    key: 'file' in key ? apiKeyFromFile(key.file) : fixedApiKey(key.value),
    trackPrefix,
    ledger,
    now,
    random: Math.random,
    log,
  });
  const snapshots = fleet?.snapshots ?? new EmbeddedSnapshots();
  client.clock.onSetBack((ms) => {
    log.warn({ by_s: ms / SECOND_MS }, "the upstream's clock was set back; what was read keeps its age");
  });
  machine.onStep(({ ms }) => {
    if (ms > 0) client.clock.mayHaveMissed(ms);
  });
  const trails = new TrailKeeper(reads);
  const seat = ONLY_SERVER;
  const kept = await KeptDemandProfile.open({ database, seat, log });
  const engine = {
    client,
    ledger,
    leases: fleet?.leases ?? new EmbeddedLeases(),
    snapshots,
    reads,
    profile: kept.profile,
    now,
    random: Math.random,
  };
  const live = fleet
    ? startFleetEngine({ ...engine, ...fleet.planning, name: config.replicaName, log })
    : startLiveEngine(engine);
  const { planned } = live;
  const account = accountName(baseUrl);
  const cache = new PartCache(embedded ? undefined : new StoredParts({ database, account, seat, wallNow }));
  const history = new HistoryReader({
    client,
    ledger,
    cache,
    seat,
    servers: database.dialect === 'postgres' ? { wanted: new WantedParts(database, account), log } : undefined,
    lines: new LoadLines(database),
    expectedPerSecond: (layer, bbox) => planned.expectedPerSecond(layer, bbox),
    livePerS: () => planned.refreshesPerS,
    hasSignIn: config.hasSignIn,
    now,
    sleep,
  });
  return {
    client,
    kept: () => ({ past: cache.memoryBytes, trails: trails.positions.memoryBytes }),
    live,
    trails: new TrailsReader(trails, client.clock),
    clock: client.clock,
    status: new StatusReader({
      clock: client.clock,
      ledger,
      snapshots,
      planned,
      checkAccount: () => client.retryAccount(),
      now,
    }),
    history,
    async close() {
      await history.close();
      await live.close();
      await client.close();
      await ledger.close();
      await kept.close();
    },
  };
}

function ledgerOf(
  { baseUrl, embedded, hasAllowance }: Ground['config']['upstream'],
  database: Database,
): NoAllowance | KeptLedger | Promise<KeptLedger> {
  if (!hasAllowance) return new NoAllowance();
  // A service on loopback starts with a new account each time, so there is nothing to keep.
  return embedded ? KeptLedger.inMemory() : openLedger(database, accountName(baseUrl));
}

/** State of an account is stored under the address where the account is used. */
export function accountName(baseUrl: string): string {
  return createHash('sha256').update(baseUrl).digest('hex').slice(0, 8);
}
