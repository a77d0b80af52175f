import 'server-only';
import type { LocalInstant } from '#lib/time/instant.ts';
import type { Leases } from '../ports/lease.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { LiveReader } from './live-reader.ts';
import { LiveScheduler } from './live-scheduler.ts';
import type { DemandProfile } from './pace/demand-profile.ts';

/** A generation that has nothing left to start is not worth more than this many a second. */
const MIN_PAUSE_MS = 100;

export interface LiveEngineOptions {
  readonly client: UpstreamClient;
  readonly ledger: Ledger;
  readonly leases: Leases;
  readonly snapshots: Snapshots;
  readonly profile: DemandProfile;
  readonly now: () => LocalInstant;
  readonly random: () => number;
}

export interface LiveEngine {
  readonly scheduler: LiveScheduler;
  readonly reader: LiveReader;
  /** Lets nothing more be asked for by itself. */
  stop(): void;
}

/** The live half of the server, running: it asks for what is looked at, by itself, for as long as somebody looks. */
export function startLiveEngine(options: LiveEngineOptions): LiveEngine {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const scheduler = new LiveScheduler({
    ...options,
    afterGeneration: (nextTickInMs) => {
      clearTimeout(timer);
      if (nextTickInMs === undefined || isStopped) return;
      timer = setTimeout(() => void scheduler.tick(), Math.max(MIN_PAUSE_MS, nextTickInMs));
      timer.unref();
    },
  });
  const { snapshots, client, now } = options;
  return {
    scheduler,
    reader: new LiveReader({ scheduler, snapshots, clock: client.clock, now }),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
