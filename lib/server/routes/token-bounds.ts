// Positions, zones, permits and alarms that a token reads or writes lie in its area. People have no area: each check passes.
import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { NewPermits, Permit } from '#lib/api/watching/permits.ts';
import type { NewZone, Zone } from '#lib/api/watching/zones.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { isAlarmIn, isZoneIn, shapeBox } from '#lib/zones/shape-box.ts';
import { runtime } from '../runtime.ts';
import { requireInBox } from '../zones/accepted-content.ts';
import { requirePermission, type Viewer, zoneCaller } from './viewer.ts';

/** @throws ApiError for a box that reaches out of a token's area */
export function requireInArea({ token }: Viewer, box: Bbox): void {
  requireInBox(token?.area, box);
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

/** @throws ApiError for a zone out of the area, or one that reads history, for which a token has a price of its own */
export function requireZoneOf(
  viewer: Viewer,
  { shape, history_requests_a_day }: Pick<NewZone, 'shape' | 'history_requests_a_day'>,
): void {
  requireInArea(viewer, shapeBox(shape, 0));
  if (viewer.token && history_requests_a_day > 0)
    throw new ApiError('not_permitted', 'A token’s zone reads no history: leave history_requests_a_day at 0.');
}

/** @throws ApiError for alarms out of the area, or where a permit answers them without the permission */
export async function requireAnswered(viewer: Viewer, alarms: NewPermits['alarms']): Promise<void> {
  if (viewer.token && alarms.length > 0) requirePermission(viewer, 'acknowledge');
  await requireAlarmsOf(viewer, alarms);
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
