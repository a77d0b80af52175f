import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { WriterLedger } from '#lib/server/allowance/writer-ledger.ts';
import type { Database } from '#lib/server/database/database.ts';
import { AreaReads } from '#lib/server/live/area-reads.ts';
import { AreaSnapshots } from '#lib/server/live/area-snapshots.ts';
import { DemandProfile } from '#lib/server/live/pace/demand-profile.ts';
import { DemandOfAll } from '#lib/server/live/plan/demand-of-all.ts';
import { Densities } from '#lib/server/live/plan/densities.ts';
import { startSharedEngine } from '#lib/server/servers/shared-live.ts';
import { WriterElection } from '#lib/server/servers/writer-election.ts';
import { strictSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { fixedApiKey } from '#lib/server/upstream/api-key.ts';
import { UpstreamClient } from '#lib/server/upstream/upstream-client.ts';
import { localInstant } from '#lib/time/instant.ts';
import type { RunningService } from '#service/server/start-service.ts';

/** The live half of a server, in this process. */
export async function startSharedServer(
  name: string,
  database: Database,
  service: RunningService,
  supervisor = strictSupervisor(),
) {
  const log = pino({ level: 'silent' });
  const now = () => localInstant(Date.now());
  const ledger = new WriterLedger(database, 'account', supervisor.part('allowance'));
  const client = new UpstreamClient({
    baseUrl: service.baseUrl,
    key: fixedApiKey(service.apiKey),
    trackPrefix: undefined,
    ledger,
    now,
    random: Math.random,
    log,
  });
  const reads = new AreaReads();
  const snapshots = new AreaSnapshots();
  const lease = new WriterElection({ database, name, part: supervisor.part('writer'), log });
  const engine = await startSharedEngine({
    supervisor,
    client,
    ledger,
    snapshots,
    reads,
    profile: new DemandProfile(),
    demand: new DemandOfAll(),
    densities: new Densities(reads),
    now,
    random: Math.random,
    database,
    lease,
    id: randomUUID(),
    name,
    log,
    becomeWriter: (fence) => ledger.open(fence),
    becomeReader: () => ledger.resign(),
  });
  return {
    name,
    client,
    ledger,
    snapshots,
    reads,
    lease,
    ...engine,
    async close() {
      await engine.close();
      await client.close();
    },
  };
}

export type SharedServer = Awaited<ReturnType<typeof startSharedServer>>;
