import 'server-only';
import type { AreaReads } from '../live/area-reads.ts';
import { AlarmDays } from '../zones/alarms/alarm-days.ts';
import { AlarmStore } from '../zones/alarms/alarm-store.ts';
import { Alarms } from '../zones/alarms/alarms.ts';
import { Presence, SeenAlarms } from '../zones/alarms/presence.ts';
import { CurrentZones, ZoneDemand } from '../zones/current-zones.ts';
import { HandOverNotes } from '../zones/hand-over-notes.ts';
import { Permits } from '../zones/permits.ts';
import { GapStore, HistoryGaps } from '../zones/watch/history-gaps.ts';
import { WatchedLedger } from '../zones/watch/watched-ledger.ts';
import { ZoneWatch } from '../zones/watch/zone-watch.ts';
import { ZonePrices } from '../zones/zone-prices.ts';
import { Zones } from '../zones/zones.ts';
import type { ProcessBase } from './process-base.ts';
import type { UpstreamRuntime } from './upstream-runtime.ts';

/** Zones, their watch and their alarms. */
export interface ZoneRuntime {
  readonly zones: Zones;
  readonly prices: ZonePrices;
  readonly watched: WatchedLedger;
  readonly alarms: Alarms;
  readonly permits: Permits;
  readonly seenAlarms: SeenAlarms;
  readonly handOver: HandOverNotes;
  readonly current: CurrentZones;
  readonly watch: ZoneWatch;
  readonly presence: Presence;
  /** Writes what was found. To be called before the stores close. */
  close(): Promise<void>;
}

export async function zoneRuntime(
  { config, database, log, supervisor }: Pick<ProcessBase, 'config' | 'database' | 'log' | 'supervisor'>,
  reads: AreaReads,
  { live, clock, lease, densities, snapshots, history, isUnlimited, failing }: UpstreamRuntime,
): Promise<ZoneRuntime> {
  const now = () => clock.now();
  const zones = new Zones(database, now);
  const alarms = new Alarms(database, now);
  const permits = new Permits(database, now, alarms);
  const current = new CurrentZones(zones, supervisor.part('zones'), permits);
  await current.read();
  const { planned } = live;
  const demand = new ZoneDemand({ current, now, watch: (boxes) => live.watch(boxes) });
  const watch = new ZoneWatch({
    lease,
    reads,
    snapshots,
    planned,
    current,
    now,
    log,
    store: new AlarmStore(database),
    part: supervisor.part('watch'),
    whyAway: database.dialect === 'sqlite' ? 'stopped' : 'no_writer',
    onAlarms: () => alarms.changed(),
  });
  const gaps = new HistoryGaps({
    watch,
    history,
    current,
    lease,
    now,
    store: new GapStore(database),
    part: supervisor.part('gaps'),
  });
  const presence = new Presence(database, supervisor.part('presence'));
  const days = new AlarmDays({ database, lease, days: config.alarmDays, now, part: supervisor.part('cleaning') });
  return {
    zones,
    prices: new ZonePrices({
      current,
      planned,
      isUnlimited,
      now,
      expected: (layer, bbox) => densities.expected(layer, bbox),
    }),
    watched: new WatchedLedger(database, current, now, failing),
    alarms,
    permits,
    seenAlarms: new SeenAlarms(database),
    handOver: new HandOverNotes(database, now),
    current,
    watch,
    presence,
    async close() {
      alarms.close();
      await presence.close();
      demand.close();
      days.close();
      await gaps.close();
      await watch.close();
      await current.close();
    },
  };
}
