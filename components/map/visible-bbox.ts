import type { LngLatBounds } from 'maplibre-gl';
import type { Bbox } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';

/** What the map shows, as one box in our own terms: MapLibre counts longitudes on past 180°. */
export function visibleBbox(bounds: Pick<LngLatBounds, 'getWest' | 'getSouth' | 'getEast' | 'getNorth'>): Bbox {
  const south = Math.max(-90, bounds.getSouth());
  const north = Math.min(90, bounds.getNorth());
  if (bounds.getEast() - bounds.getWest() >= 360) return { west: -180, south, east: 180, north };
  const east = wrapLongitude(bounds.getEast());
  return { west: wrapLongitude(bounds.getWest()), south, east: east === -180 ? 180 : east, north };
}
