import type { LngLatBounds } from 'maplibre-gl';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { areaBbox } from '#lib/geo/area.ts';
import { type Bbox, bboxContains, lonSpanDeg } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { growByFraction } from '#lib/geo/grow-by-fraction.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';

/** So that marks don't appear and vanish at the view's border. */
const MARGIN_FRACTION = 0.1;

/** The tolerance is below the seven decimals of a written box. */
const WORLD_MIN_DEG = 360 - 1e-6;

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

/** 0 to 360. */
function eastwardDeg(fromLon: number, toLon: number): number {
  return (((toLon - fromLon) % 360) + 360) % 360;
}

/** MapLibre's longitudes continue beyond 180°; a box that crosses it has west > east. */
export function visibleBbox(bounds: Pick<LngLatBounds, 'getWest' | 'getSouth' | 'getEast' | 'getNorth'>): Bbox {
  const south = Math.max(-90, bounds.getSouth());
  const north = Math.min(90, bounds.getNorth());
  if (bounds.getEast() - bounds.getWest() >= WORLD_MIN_DEG) return { west: -180, south, east: 180, north };
  const east = wrapLongitude(bounds.getEast());
  return { west: wrapLongitude(bounds.getWest()), south, east: east === -180 ? 180 : east, north };
}
