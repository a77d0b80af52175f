import type { PricedZone, Zone } from '#lib/api/watching/zones.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

/** Zones of the past are read by the minute: these have changed or were removed since. */
export function changesBefore(
  at: UpstreamInstant,
  past: readonly Pick<PricedZone, 'zone'>[],
  present: readonly Pick<PricedZone, 'zone'>[],
): { readonly changed: readonly Zone[]; readonly removed: readonly string[] } {
  const changed = present.flatMap(({ zone }) => {
    const time = parseInstant(zone.changed_at);
    return time !== undefined && time <= at && msBetween(time, at) <= MINUTE_MS ? [zone] : [];
  });
  const removed = past.flatMap(({ zone }) => {
    const time = zone.removed_at === null ? undefined : parseInstant(zone.removed_at);
    return time !== undefined && time <= at ? [zone.id] : [];
  });
  return { changed, removed };
}
