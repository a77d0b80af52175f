import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';

/** None crosses 180°. */
export function isCovered({ west, south, east, north }: Bbox, areas: readonly Bbox[]): boolean {
  return isCoveredFrom(0, areas, west, south, east, north);
}

/** Pieces that the first area leaves go to those after it. */
function isCoveredFrom(
  first: number,
  areas: readonly Bbox[],
  west: number,
  south: number,
  east: number,
  north: number,
): boolean {
  for (let index = first; index < areas.length; index++) {
    const area = areas[index] as Bbox;
    if (area.west >= east || area.east <= west || area.south >= north || area.north <= south) continue;
    const bottom = Math.max(south, area.south);
    const top = Math.min(north, area.north);
    const next = index + 1;
    return (
      (bottom <= south || isCoveredFrom(next, areas, west, south, east, bottom)) &&
      (top >= north || isCoveredFrom(next, areas, west, top, east, north)) &&
      (area.west <= west || isCoveredFrom(next, areas, west, bottom, area.west, top)) &&
      (area.east >= east || isCoveredFrom(next, areas, area.east, bottom, east, top))
    );
  }
  return false;
}
