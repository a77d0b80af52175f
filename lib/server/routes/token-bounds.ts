// Positions, zones, permits and alarms that a token reads or answers lie in its area. People have no area: each check passes.
// The writes of a token are checked where they are stored (lib/server/zones).
import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { Permit } from '#lib/api/watching/permits.ts';
import type { Zone } from '#lib/api/watching/zones.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { isAlarmIn, isZoneIn } from '#lib/zones/shape-box.ts';
import { runtime } from '../runtime.ts';
import { requireInArea } from '../zones/zone-rows.ts';
import { type Viewer, zoneCaller } from './viewer.ts';

/** @throws ApiError for a box that reaches out of a token's area */
export function requireTokenArea({ token }: Viewer, box: Bbox): void {
  if (token) requireInArea(token, box);
}

/** Zones that reach into the area. */
export function zonesInArea<Each extends Pick<Zone, 'shape'>>(viewer: Viewer, zones: readonly Each[]): readonly Each[] {
  return zones.filter((zone) => isZoneIn(zone, viewer.token?.area));
}

/** Alarms with their last position in the area. Of one without a position, the zone decides. */
export async function alarmsInArea(viewer: Viewer, alarms: readonly Alarm[]): Promise<readonly Alarm[]> {
  const area = viewer.token?.area;
  if (!area) return alarms;
  const unplaced = await ofZonesInArea(
    viewer,
    alarms.filter(({ evidence }) => evidence.length === 0),
  );
  return alarms.filter((alarm) => isAlarmIn(alarm, area) || unplaced.includes(alarm));
}

/** Permits of the zones that reach into the area. */
export async function permitsInArea(viewer: Viewer, permits: readonly Permit[]): Promise<readonly Permit[]> {
  return viewer.token?.area ? ofZonesInArea(viewer, permits) : permits;
}

async function ofZonesInArea<Item extends { readonly zone: { readonly id: string } }>(
  viewer: Viewer,
  items: readonly Item[],
): Promise<readonly Item[]> {
  if (items.length === 0) return items;
  const zones = zonesInArea(viewer, await runtime().zones.list(zoneCaller(viewer)));
  const ids = new Set(zones.map(({ id }) => id));
  return items.filter(({ zone }) => ids.has(zone.id));
}

/** @throws ApiError as for an alarm that does not exist */
export async function requireAlarmsOf(viewer: Viewer, alarms: readonly { readonly id: string }[]): Promise<void> {
  if (!viewer.token?.area) return;
  for (const { id } of alarms) {
    const alarm = await runtime().alarms.one(zoneCaller(viewer), id);
    if ((await alarmsInArea(viewer, alarm ? [alarm] : [])).length === 0)
      throw new ApiError('not_found', `There is no alarm ${id}.`);
  }
}
