import type { LngLatBounds } from 'maplibre-gl';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { growByPart } from '#lib/geo/grow-by-part.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';

/** Asked beyond the edges of the view, so that marks do not appear and end exactly at its border. */
const MARGIN_PART = 0.1;

/**
 * What is asked for so that the view is covered, with as much margin as leaves it small enough to be watched as a whole. A view
 * that is larger than that is asked for as it is: the server cuts it around the middle of the screen, which is sent along.
 */
export function askedArea(visible: Bbox): Bbox {
  return growByPart(visible, MARGIN_PART, LIVE_MAX_SPAN_DEG);
}

/** What the map shows, as one box in our own terms: MapLibre counts longitudes on past 180°. */
export function visibleBbox(bounds: Pick<LngLatBounds, 'getWest' | 'getSouth' | 'getEast' | 'getNorth'>): Bbox {
  const south = Math.max(-90, bounds.getSouth());
  const north = Math.min(90, bounds.getNorth());
  if (bounds.getEast() - bounds.getWest() >= 360) return { west: -180, south, east: 180, north };
  const east = wrapLongitude(bounds.getEast());
  return { west: wrapLongitude(bounds.getWest()), south, east: east === -180 ? 180 : east, north };
}
