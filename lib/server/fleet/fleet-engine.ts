import 'server-only';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { type LiveEngine, STOP_REFRESHES_MS } from '../live/live-engine.ts';
import { LiveReader } from '../live/live-reader.ts';
import { FleetLive, type FleetLiveOptions } from './fleet-live.ts';

const BEAT_EVERY_MS = SECOND_MS;

/** The running live half of one of several servers: it plans for all of them, or follows the one that does. */
export function startFleetEngine(options: FleetLiveOptions): LiveEngine & { readonly planned: FleetLive } {
  const { snapshots, reads, client, now } = options;
  const planned = new FleetLive(options);
  const reader = new LiveReader({ planned, snapshots, reads, clock: client.clock, now });
  void planned.beat();
  const beats = setInterval(() => void planned.beat(), BEAT_EVERY_MS).unref();
  return {
    planned,
    reader,
    // Several servers never share an embedded service.
    upstreamChanged() {},
    async close() {
      reader.close();
      clearInterval(beats);
      await planned.close(STOP_REFRESHES_MS);
    },
  };
}
