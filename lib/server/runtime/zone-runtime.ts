import 'server-only';
import type { AreaReads } from '../live/area-reads.ts';
import { AlarmDays } from '../zones/alarm-days.ts';
import { AlarmStore } from '../zones/alarm-store.ts';
import { Alarms } from '../zones/alarms.ts';
import { CurrentZones } from '../zones/current-zones.ts';
import { GapStore } from '../zones/gap-store.ts';
import { HistoryGaps } from '../zones/history-gaps.ts';
import { SeenTo } from '../zones/seen-to.ts';
import { WatchedLedger } from '../zones/watched-ledger.ts';
import { ZoneDemand } from '../zones/zone-demand.ts';
import { ZonePrices } from '../zones/zone-prices.ts';
import { ZoneWatch } from '../zones/zone-watch.ts';
import { Zones } from '../zones/zones.ts';
import type { Ground } from './ground.ts';
import type { UpstreamRuntime } from './upstream-runtime.ts';

/** Zones, their watch and their alarms. */
export interface ZoneRuntime {
  readonly zones: Zones;
  readonly prices: ZonePrices;
  readonly watched: WatchedLedger;
  readonly alarms: Alarms;
  readonly seenTo: SeenTo;
  /** Writes what was found. To be called before the stores close. */
  close(): Promise<void>;
}

export async function zoneRuntime(
  { config, database, log }: Pick<Ground, 'config' | 'database' | 'log'>,
  reads: AreaReads,
  { live, clock, seat, densities, snapshots, history, isUnlimited }: UpstreamRuntime,
): Promise<ZoneRuntime> {
  const now = () => clock.now();
  const zones = new Zones(database, now);
  const current = new CurrentZones(zones, log);
  await current.read();
  const { planned } = live;
  const alarms = new Alarms(database, now);
  const demand = new ZoneDemand({ current, now, watch: (boxes) => live.watch(boxes) });
  const watch = new ZoneWatch({
    ...{ seat, reads, snapshots, planned, current, now, log },
    store: new AlarmStore(database),
    whyAway: database.dialect === 'sqlite' ? 'stopped' : 'no_writer',
    onAlarms: () => alarms.changed(),
  });
  const gaps = new HistoryGaps({ store: new GapStore(database), watch, history, current, seat, now, log });
  const days = new AlarmDays({ database, seat, days: config.alarmDays, now, log });
  return {
    zones,
    prices: new ZonePrices({
      ...{ current, planned, isUnlimited },
      expected: (layer, bbox) => densities.expected(layer, bbox),
    }),
    watched: new WatchedLedger(database, now),
    alarms,
    seenTo: new SeenTo(database),
    async close() {
      alarms.close();
      demand.close();
      days.close();
      await gaps.close();
      await watch.close();
      await current.close();
    },
  };
}
