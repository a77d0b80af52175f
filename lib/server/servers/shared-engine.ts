import 'server-only';
import type { LiveEngine } from '../live/live-engine.ts';
import { LiveReader } from '../live/live-reader.ts';
import { SharedLive, type SharedLiveOptions } from './shared-live.ts';
import type { WriterElection } from './writer-election.ts';

export interface SharedEngineOptions extends SharedLiveOptions {
  readonly lease: WriterElection;
}

export async function startSharedEngine(
  options: SharedEngineOptions,
): Promise<LiveEngine & { readonly planned: SharedLive }> {
  const { snapshots, reads, client, now, lease } = options;
  client.clock.onSetBack((ms) => {
    if (lease.fence !== undefined) snapshots.setBack(ms);
  });
  const planned = new SharedLive(options);
  const reader = new LiveReader({ planned, snapshots, reads, clock: client.clock, now });
  await lease.start();
  await planned.settled();
  await planned.beat();
  return {
    planned,
    reader,
    checkAccount: () => planned.checkAccount(),
    upstreamChanged: (layer) => planned.changed(layer),
    watch: (boxes) => planned.watch(boxes),
    async leave() {
      await planned.resign();
      await lease.close();
    },
    async close() {
      reader.close();
      await planned.resign();
      await lease.close();
      await planned.close();
    },
  };
}
