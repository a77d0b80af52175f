import 'server-only';
import type { Layer } from '#lib/model/position.ts';
import { LiveReader } from './live-reader.ts';
import type { LiveSchedulerOptions } from './live-scheduler.ts';
import { LiveWriter } from './live-writer.ts';
import type { ZoneBox } from './plan/demand-of-all.ts';
import type { PlannedAreas } from './planned-areas.ts';

export type LiveEngineOptions = Omit<LiveSchedulerOptions, 'afterGeneration'>;

export interface LiveEngine {
  readonly planned: PlannedAreas;
  readonly reader: LiveReader;
  /** Lets the next request check whether the day is used up or the key refused. */
  checkAccount(): Promise<void>;
  /** To be called when a layer has changed at the upstream. */
  upstreamChanged(layer: Layer): void;
  /** Replaces what is read for zones, whether or not anyone looks. Every server calls it; the writer plans the boxes. */
  watch(boxes: readonly ZoneBox[]): void;
  /** Another server may send the requests from now on, if there is one. */
  leave(): Promise<void>;
  /** Starts no further refresh, and waits a little for those that are running. */
  close(): Promise<void>;
}

/** The running live half of a server alone: it requests what viewers look at, by itself, while there are any. */
export function startLiveEngine(options: LiveEngineOptions): LiveEngine {
  const { snapshots, reads, client, ledger, now } = options;
  client.clock.onSetBack((ms) => snapshots.setBack(ms));
  const writer = new LiveWriter(options);
  const reader = new LiveReader({
    planned: writer.scheduler,
    snapshots,
    reads,
    clock: client.clock,
    now,
    isAnnounced: ledger.isUnlimited,
  });
  return {
    planned: writer.scheduler,
    reader,
    checkAccount: () => client.retryAccount(),
    upstreamChanged: (layer) => writer.scheduler.changed(layer),
    watch: (boxes) => writer.scheduler.watch(boxes),
    async leave() {},
    async close() {
      reader.close();
      await writer.stop();
    },
  };
}
