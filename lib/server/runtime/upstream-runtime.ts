import 'server-only';
import { randomUUID } from 'node:crypto';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { NoAllowance } from '../allowance/no-allowance.ts';
import { accountName, openLedger, StoredLedger } from '../allowance/stored-ledger.ts';
import { WriterLedger } from '../allowance/writer-ledger.ts';
import type { Database } from '../database/database.ts';
import { ONLY_SERVER, type WriterLease } from '../database/writer-lease.ts';
import { HistoryReader } from '../history/history-reader.ts';
import { LoadQueues } from '../history/load-queues.ts';
import { PartCache } from '../history/parts/part-cache.ts';
import { StoredParts } from '../history/parts/stored-parts.ts';
import { WantedParts } from '../history/parts/wanted-parts.ts';
import type { AreaReads } from '../live/area-reads.ts';
import { AreaSnapshots } from '../live/area-snapshots.ts';
import { type LiveEngine, startLiveEngine } from '../live/live-engine.ts';
import { StoredDemandProfile } from '../live/pace/demand-profile.ts';
import { DemandOfAll } from '../live/plan/demand-of-all.ts';
import { Densities } from '../live/plan/densities.ts';
import { StatusReader } from '../live/status-reader.ts';
import { sleep } from '../machine.ts';
import type { MetricsSources } from '../metrics/metrics.ts';
import { startSharedEngine } from '../servers/shared-live.ts';
import { WriterElection } from '../servers/writer-election.ts';
import type { KnownFailure, Supervisor } from '../supervision/supervisor.ts';
import { TrailStore } from '../trails/trail-store.ts';
import { TrailsReader } from '../trails/trails-reader.ts';
import { apiKeyFromFile, fixedApiKey } from '../upstream/api-key.ts';
import { UpstreamClient } from '../upstream/upstream-client.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import type { ProcessBase } from './process-base.ts';

export interface UpstreamRuntime {
  readonly live: LiveEngine;
  readonly trails: TrailsReader;
  readonly status: StatusReader;
  readonly history: HistoryReader;
  readonly clock: UpstreamClock;
  readonly client: UpstreamClient;
  readonly lease: WriterLease;
  readonly densities: Densities;
  readonly snapshots: AreaSnapshots;
  /** Whether the upstream states no allowance. */
  readonly isUnlimited: boolean;
  readonly kept: MetricsSources['kept'];
  /** Failing parts of this server, and of the writer. */
  failing(): readonly KnownFailure[];
  close(): Promise<void>;
}

/**
 * Makes and joins the parts that read the upstream: client, ledger, live engine, trails, history and status, for a server
 * alone or one of several that share an account. `close` closes them, users first. It never closes the database.
 */
export async function upstreamRuntime(
  { config, log, now, wallNow, clock: machine, database, supervisor }: ProcessBase,
  reads: AreaReads,
  hasSignIn: boolean,
): Promise<UpstreamRuntime> {
  const { key, baseUrl, trackPrefix, embedded } = config.upstream;
  // Servers with an embedded service share no account.
  const isShared = database.dialect === 'postgres' && !embedded;
  const writerLedger = isShared
    ? new WriterLedger(database, accountName(baseUrl), supervisor.part('allowance'))
    : undefined;
  const ledger = writerLedger ?? (await ledgerOf(config.upstream, database, supervisor));
  const client = new UpstreamClient({
    baseUrl,
    key: 'file' in key ? apiKeyFromFile(key.file) : fixedApiKey(key.value),
    trackPrefix,
    ledger,
    now,
    random: Math.random,
    log,
  });
  const snapshots = new AreaSnapshots();
  client.clock.onSetBack((ms) => {
    log.warn({ by_s: ms / SECOND_MS }, "the upstream's clock was set back; what was read keeps its age");
  });
  machine.onStep(({ ms }) => {
    if (ms > 0) client.clock.mayHaveMissed(ms);
  });
  const trails = new TrailStore(reads);
  const election =
    writerLedger && new WriterElection({ database, name: config.serverName, part: supervisor.part('writer'), log });
  const lease = election ?? ONLY_SERVER;
  const kept = await StoredDemandProfile.open({ database, lease, part: supervisor.part('demand_profile'), log });
  const densities = new Densities(reads);
  const engine = {
    client,
    ledger,
    snapshots,
    reads,
    supervisor,
    profile: kept.profile,
    demand: new DemandOfAll(),
    densities,
    now,
    random: Math.random,
  };
  const id = randomUUID().slice(0, 8);
  const live =
    writerLedger && election
      ? await startSharedEngine({
          ...engine,
          database,
          lease: election,
          id,
          name: config.serverName,
          log,
          becomeWriter: (fence) => writerLedger.open(fence),
          becomeReader: () => writerLedger.resign(),
        })
      : startLiveEngine(engine);
  const { planned } = live;
  const account = accountName(baseUrl);
  const stored = { database, account, lease, wallNow, part: supervisor.part('history', 'stored') };
  const exchange = supervisor.part('history', 'servers');
  const cache = new PartCache(embedded ? undefined : new StoredParts(stored));
  const history = new HistoryReader({
    client,
    ledger,
    cache,
    lease,
    servers: isShared ? { wanted: new WantedParts(database, account), part: exchange, log } : undefined,
    queues: new LoadQueues({ database, part: exchange }),
    expectedPerSecond: (layer, bbox) => planned.expectedPerSecond(layer, bbox),
    livePerS: () => planned.refreshesPerS,
    hasSignIn,
    now,
    sleep,
  });
  return {
    client,
    lease,
    densities,
    snapshots,
    isUnlimited: ledger.isUnlimited === true,
    kept: () => ({ past: cache.memoryBytes, trails: trails.positions.memoryBytes }),
    live,
    failing: () => [
      ...supervisor.failing.map((own) => ({ ...own, since: client.clock.fromLocal(own.since) })),
      ...(planned.servers?.failing ?? []),
    ],
    trails: new TrailsReader(trails, client.clock),
    clock: client.clock,
    status: new StatusReader({
      clock: client.clock,
      ledger,
      snapshots,
      planned,
      checkAccount: () => live.checkAccount(),
      now,
    }),
    history,
    async close() {
      await history.close();
      await kept.close();
      await live.close();
      await client.close();
      await ledger.close();
    },
  };
}

function ledgerOf(
  { baseUrl, embedded, hasAllowance }: ProcessBase['config']['upstream'],
  database: Database,
  supervisor: Supervisor,
): NoAllowance | StoredLedger | Promise<StoredLedger> {
  if (!hasAllowance) return new NoAllowance();
  // A service on loopback starts with a new account each time.
  return embedded ? StoredLedger.inMemory() : openLedger(database, accountName(baseUrl), supervisor.part('allowance'));
}
