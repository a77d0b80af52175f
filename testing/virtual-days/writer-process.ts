import { join } from 'node:path';
import { pino } from 'pino';
import type { Ledger } from '#lib/server/allowance/ledger.ts';
import { openLedger } from '#lib/server/allowance/stored-ledger.ts';
import { openDatabase } from '#lib/server/database/open-database.ts';
import { ONLY_SERVER } from '#lib/server/database/writer-lease.ts';
import { HistoryReader } from '#lib/server/history/history-reader.ts';
import { LoadQueues } from '#lib/server/history/load-queues.ts';
import { PartCache } from '#lib/server/history/parts/part-cache.ts';
import { StoredParts } from '#lib/server/history/parts/stored-parts.ts';
import { AreaReads } from '#lib/server/live/area-reads.ts';
import { AreaSnapshots } from '#lib/server/live/area-snapshots.ts';
import { type LiveEngine, startLiveEngine } from '#lib/server/live/live-engine.ts';
import { StoredDemandProfile } from '#lib/server/live/pace/demand-profile.ts';
import { DemandOfAll } from '#lib/server/live/plan/demand-of-all.ts';
import { Densities } from '#lib/server/live/plan/densities.ts';
import { sleep } from '#lib/server/machine.ts';
import { strictSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { TrailStore } from '#lib/server/trails/trail-store.ts';
import { fixedApiKey } from '#lib/server/upstream/api-key.ts';
import { UpstreamClient } from '#lib/server/upstream/upstream-client.ts';
import type { sendRequest } from '#lib/server/upstream/upstream-exchange.ts';
import type { LocalInstant } from '#lib/time/instant.ts';

export interface WriterStores {
  readonly ledger: Ledger;
  readonly cache: PartCache;
  readonly profile: StoredDemandProfile;
  /** Without a last write. */
  drop(): Promise<void>;
}

export interface WriterOptions {
  readonly stores: WriterStores;
  readonly now: () => LocalInstant;
  readonly random: () => number;
  readonly send: typeof sendRequest;
}

export interface WriterProcess {
  readonly live: LiveEngine;
  readonly history: HistoryReader;
  readonly densities: Densities;
  /** As by SIGKILL. The caller also drops its timers and answers. */
  kill(): Promise<void>;
}

export async function storesIn(folder: string, now: () => LocalInstant): Promise<WriterStores> {
  // Otherwise most events of a day were looks for changes by others.
  const target = { dialect: 'sqlite', file: join(folder, 'lookout.sqlite') } as const;
  const database = await openDatabase(target, { isAlone: true });
  const lease = ONLY_SERVER;
  return {
    ledger: await openLedger(database, 'account', strictSupervisor().part('allowance')),
    cache: new PartCache(
      new StoredParts({ database, account: 'account', lease, wallNow: now, part: strictSupervisor().part('history') }),
    ),
    profile: await StoredDemandProfile.open({
      database,
      lease,
      part: strictSupervisor().part('demand_profile'),
      log: pino({ level: 'silent' }),
    }),
    drop: () => database.close(),
  };
}

export function startWriter({ stores, now, random, send }: WriterOptions): WriterProcess {
  const { ledger, cache, profile } = stores;
  const client = new UpstreamClient({
    baseUrl: 'http://upstream.in-process',
    key: fixedApiKey('in-process'),
    trackPrefix: undefined,
    ledger,
    now,
    random,
    log: pino({ level: 'silent' }),
    send,
  });
  const reads = new AreaReads();
  const densities = new Densities(reads);
  new TrailStore(reads);
  const live = startLiveEngine({
    supervisor: strictSupervisor(),
    client,
    ledger,
    snapshots: new AreaSnapshots(),
    demand: new DemandOfAll(),
    densities,
    reads,
    profile: profile.profile,
    now,
    random,
  });
  const { planned } = live;
  const history = new HistoryReader({
    client,
    ledger,
    cache,
    queues: new LoadQueues(),
    expectedPerSecond: (layer, bbox) => planned.expectedPerSecond(layer, bbox),
    livePerS: () => planned.refreshesPerS,
    hasSignIn: true,
    now,
    sleep,
  });
  return { live, history, densities, kill: () => stores.drop() };
}
