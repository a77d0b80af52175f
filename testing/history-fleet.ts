import { expect } from 'vitest';
import { StoredLedger } from '#lib/server/allowance/stored-ledger.ts';
import type { Database } from '#lib/server/database/database.ts';
import { LoadQueues } from '#lib/server/history/load-queues.ts';
import { PartCache } from '#lib/server/history/parts/part-cache.ts';
import { StoredParts } from '#lib/server/history/parts/stored-parts.ts';
import { WantedParts } from '#lib/server/history/parts/wanted-parts.ts';
import { AreaReads } from '#lib/server/live/area-reads.ts';
import { AreaSnapshots } from '#lib/server/live/area-snapshots.ts';
import { strictSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Observation } from '#service/sources/observation.ts';
import { type HistoryHarness, startHistoryHarness } from './history-harness.ts';
import { SwitchableLease } from './switchable-lease.ts';

const START_MS = Date.UTC(2026, 10, 21, 12, 0, 10);

export interface Replica {
  readonly history: HistoryHarness;
  readonly lease: SwitchableLease;
  readonly database: Database;
  /** Without a word to the others. */
  kill(): Promise<void>;
}

/** Several servers in one process over one PostgreSQL, service, clock and ledger. */
export class HistoryFleet {
  readonly replicas: Replica[] = [];
  readonly #open: () => Promise<Database>;
  readonly #observations: readonly Observation[];
  readonly #ledger = StoredLedger.inMemory();
  #fence = 0;
  #nowMs = START_MS;

  constructor(open: () => Promise<Database>, observations: readonly Observation[]) {
    this.#open = open;
    this.#observations = observations;
  }

  async add(): Promise<Replica> {
    const database = await this.#open();
    const lease = new SwitchableLease(undefined);
    const wallNow = () => localInstant(this.#nowMs);
    const service = this.replicas[0]?.history.live.service;
    const history = await startHistoryHarness(this.#observations, {
      startMs: this.#nowMs,
      now: () => upstreamInstant(this.#nowMs),
      moveClock: (ms) => this.pass(ms),
      stores: {
        ledger: this.#ledger,
        snapshots: new AreaSnapshots(),
        reads: new AreaReads(),
      },
      cache: new PartCache(
        new StoredParts({ database, account: 'past', lease, wallNow, part: strictSupervisor().part('history') }),
      ),
      queues: new LoadQueues({ database, part: strictSupervisor().part('history') }),
      lease,
      servers: {
        wanted: new WantedParts(database, 'past'),
        part: strictSupervisor().part('history'),
        log: { error: (problem: unknown) => expect.fail(JSON.stringify(problem)) },
      },
      ...(service && { service }),
    });
    const replica: Replica = {
      history,
      lease,
      database,
      async kill() {
        lease.fence = undefined;
        await history.reader.close();
        await history.live.client.close();
      },
    };
    this.replicas.push(replica);
    return replica;
  }

  leaseTo(replica: Replica): void {
    for (const { lease } of this.replicas) if (lease.fence !== undefined) lease.fence = undefined;
    replica.lease.fence = ++this.#fence;
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    for (const { history } of this.replicas) history.live.moveClock(ms);
  }

  requests(): number {
    return this.replicas[0]?.history.requests() ?? 0;
  }

  repeated(): number {
    const queries = this.replicas[0]?.history.live.service.requests().map(({ query }) => query) ?? [];
    return queries.length - new Set(queries).size;
  }

  async close(): Promise<void> {
    for (const { history } of this.replicas.toReversed()) {
      await history.reader.close();
      await history.live.close();
    }
  }
}
