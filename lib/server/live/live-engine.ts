import 'server-only';
import type { Layer } from '#lib/model/position.ts';
import { LiveReader } from './live-reader.ts';
import { LiveWriter } from './live-writer.ts';
import type { ZoneBox } from './plan/demand-of-all.ts';
import type { PlannedAreas } from './planned-areas.ts';
import type { RequestSchedulerOptions } from './request-scheduler.ts';

export type LiveEngineOptions = Omit<RequestSchedulerOptions, 'afterGeneration'>;

export interface LiveEngine {
  readonly planned: PlannedAreas;
  readonly reader: LiveReader;
  checkAccount(): Promise<void>;
  upstreamChanged(layer: Layer): void;
  /** Replaces the boxes that are read for zones, with or without viewers. Every server calls it; the writer plans them. */
  watch(boxes: readonly ZoneBox[]): void;
  /** Another server may become the writer. */
  leave(): Promise<void>;
  /** Waits a little for running refreshes. */
  close(): Promise<void>;
}

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
