import { type Bbox, lonSpanDeg } from './bbox.ts';
import { EARTH_RADIUS_M } from './great-circle.ts';
import { wrapEastEdge, wrapLongitude } from './longitude.ts';

const M_PER_DEG = (Math.PI / 180) * EARTH_RADIUS_M;
/** A degree of latitude is up to this much shorter on the flattened Earth. */
const FLATTENED = 1.007;

/**
 * The box grown by metres on all sides: it contains every place within the distance of a place in the box, and some
 * beyond. It crosses 180° where the distance does, and spans all longitudes where the distance reaches a pole.
 * @param bbox its east may run on past 180°
 */
export function grownBox(bbox: Bbox, byM: number): Bbox {
  const latDeg = (byM / M_PER_DEG) * FLATTENED;
  const [south, north] = [Math.max(-90, bbox.south - latDeg), Math.min(90, bbox.north + latDeg)];
  // Within the distance no meridians are closer to each other than on the parallel nearest to a pole.
  const narrowest = Math.cos((Math.max(Math.abs(south), Math.abs(north)) * Math.PI) / 180);
  const lonDeg = latDeg / narrowest;
  const spanDeg = lonSpanDeg(bbox);
  if (spanDeg + 2 * lonDeg >= 360) return { west: -180, south, east: 180, north };
  return {
    west: wrapLongitude(bbox.west - lonDeg),
    south,
    east: wrapEastEdge(bbox.west + spanDeg + lonDeg),
    north,
  };
}
