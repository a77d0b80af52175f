import 'server-only';
import { setTimeout as delay } from 'node:timers/promises';
import type { Layer } from '#lib/model/position.ts';
import type { LocalInstant } from '#lib/time/instant.ts';
import type { AreaReads } from '../ports/area-reads.ts';
import type { Leases } from '../ports/lease.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { LiveReader } from './live-reader.ts';
import { LiveScheduler } from './live-scheduler.ts';
import type { DemandProfile } from './pace/demand-profile.ts';
import type { PaceLimits } from './pace/pace-limits.ts';
import type { PlannedAreas } from './planned-areas.ts';

/** The shortest pause between two generations: starting more than ten a second gains nothing. */
const MIN_PAUSE_MS = 100;

/** How long a stop waits for refreshes that were sent: what they cost is known only with their answers. */
export const STOP_REFRESHES_MS = 1000;

export interface LiveEngineOptions {
  readonly client: UpstreamClient;
  readonly ledger: Ledger;
  readonly leases: Leases;
  readonly snapshots: Snapshots;
  readonly reads: AreaReads;
  readonly profile: DemandProfile;
  /** Default: `PACE_LIMITS`. */
  readonly limits?: PaceLimits;
  readonly now: () => LocalInstant;
  readonly random: () => number;
}

export interface LiveEngine {
  readonly planned: PlannedAreas;
  readonly reader: LiveReader;
  /** To be called when a layer has changed at the upstream. */
  upstreamChanged(layer: Layer): void;
  /** Starts no further refresh, and waits a little for those that are running. */
  close(): Promise<void>;
}

/** The running live half of the server: it requests what viewers look at, by itself, while there are any. */
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
  const { snapshots, reads, client, ledger, now } = options;
  const reader = new LiveReader({
    planned: scheduler,
    snapshots,
    reads,
    clock: client.clock,
    now,
    isAnnounced: ledger.isUnlimited,
  });
  return {
    planned: scheduler,
    reader,
    upstreamChanged: (layer) => scheduler.changed(layer),
    async close() {
      reader.close();
      isStopped = true;
      clearTimeout(timer);
      await Promise.race([scheduler.idle(), delay(STOP_REFRESHES_MS, undefined, { ref: false })]);
    },
  };
}
