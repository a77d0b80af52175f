import 'server-only';
import type { NewZone, Zone, ZonePrice } from '#lib/api/zones.ts';

/** What zones cost. */
export class ZonePrices {
  of(_zone: Zone | NewZone): ZonePrice {
    return { requests_a_day: null, affordable_a_day: null, every_s: null };
  }
}
