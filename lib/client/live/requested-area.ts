import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { areaBbox } from '#lib/geo/area.ts';
import { type Bbox, bboxContains, lonSpanDeg } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { growByFraction } from '#lib/geo/grown-box.ts';
import { eastwardDeg } from '#lib/geo/longitude.ts';

/** So that marks don't appear and vanish at the view's border. */
const MARGIN_FRACTION = 0.1;

/**
 * The view with a margin, as far as the server still covers it all; larger views are capped around the middle of the
 * screen.
 */
export function requestedArea(visible: Bbox): Bbox {
  return growByFraction(visible, MARGIN_FRACTION, LIVE_MAX_SPAN_DEG);
}

/** An airliner's minute, which is several readings, plus a metre for rounding. */
const FOLLOWED_REACH_M = 18_001;

export function requestedAreaAround(visible: Bbox, followed: LonLat): Bbox {
  const area = requestedArea(visible);
  if (!bboxContains(area, followed.lon, followed.lat)) return area;
  const reach = areaBbox({ kind: 'circle', centre: followed, radiusM: FOLLOWED_REACH_M });
  const reachDeg = lonSpanDeg(reach) / 2;
  const isWide = lonSpanDeg(area) + 2 * reachDeg > LIVE_MAX_SPAN_DEG;
  return {
    west: isWide || eastwardDeg(area.west, followed.lon) >= reachDeg ? area.west : reach.west,
    south: Math.max(-90, Math.min(area.south, reach.south)),
    east: isWide || eastwardDeg(followed.lon, area.east) >= reachDeg ? area.east : reach.east,
    north: Math.min(90, Math.max(area.north, reach.north)),
  };
}
