import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { kindOfFlags } from '#lib/model/position.ts';
import type { TrackMoment } from './pictured-tracks.ts';

export interface NearDrone {
  readonly slot: number;
  readonly distanceM: number;
}

/** The drones nearest to a place, with expired ones, the nearest first. */
export function nearestDrones({ columns }: TrackMoment, from: LonLat, count: number): readonly NearDrone[] {
  const nearest: NearDrone[] = [];
  for (let slot = 0; slot < columns.end; slot++) {
    if (columns.used[slot] === 0 || kindOfFlags(columns.style[slot] as number) !== 'drone') continue;
    const away = distanceM(from, { lon: columns.lon[slot] as number, lat: columns.lat[slot] as number });
    if (nearest.length === count && away >= (nearest[count - 1] as NearDrone).distanceM) continue;
    const at = nearest.findIndex((drone) => away < drone.distanceM);
    nearest.splice(at < 0 ? nearest.length : at, 0, { slot, distanceM: away });
    if (nearest.length > count) nearest.pop();
  }
  return nearest;
}
