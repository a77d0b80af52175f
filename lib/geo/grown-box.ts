// A box made larger: by metres for what is near it, by a fraction for a view that pans, to a grid for equal requests.
import { type Bbox, latSpanDeg, lonSpanDeg } from './bbox.ts';
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

/**
 * Latitudes stop at the poles. Near `maxSpanDeg` a side grows by less.
 * @param bbox its east may run on past 180°
 */
export function growByFraction(bbox: Bbox, fraction: number, maxSpanDeg: number): Bbox {
  const growLatDeg = growthDeg(latSpanDeg(bbox), fraction, maxSpanDeg);
  const south = Math.max(-90, bbox.south - growLatDeg / 2);
  const north = Math.min(90, bbox.north + growLatDeg / 2);
  const growLonDeg = growthDeg(lonSpanDeg(bbox), fraction, maxSpanDeg);
  if (growLonDeg === 0) return { ...bbox, south, north };
  const west = wrapLongitude(bbox.west - growLonDeg / 2);
  return { west, south, east: wrapEastEdge(west + lonSpanDeg(bbox) + growLonDeg), north };
}

/** Half of the room at most, so that rounded edges cannot exceed the limit. */
function growthDeg(spanDeg: number, fraction: number, maxSpanDeg: number): number {
  return Math.min(spanDeg * fraction, Math.max(0, maxSpanDeg - spanDeg) / 2);
}

/**
 * Similar views get the same area. The box must not cross 180°. A side that would exceed `maxSpanDeg` is unchanged.
 * @param halvings of the grid's step
 */
export function growToGrid(bbox: Bbox, maxSpanDeg: number, halvings = 0): Bbox {
  const stepDeg = gridStepDeg(Math.max(lonSpanDeg(bbox), latSpanDeg(bbox)), halvings);
  const west = Math.max(-180, Math.min(bbox.west, Math.floor(bbox.west / stepDeg) * stepDeg));
  const east = Math.min(180, Math.max(bbox.east, Math.ceil(bbox.east / stepDeg) * stepDeg));
  const south = Math.max(-90, Math.min(bbox.south, Math.floor(bbox.south / stepDeg) * stepDeg));
  const north = Math.min(90, Math.max(bbox.north, Math.ceil(bbox.north / stepDeg) * stepDeg));
  const lonFits = east - west <= maxSpanDeg;
  const latFits = north - south <= maxSpanDeg;
  return {
    west: lonFits ? west : bbox.west,
    east: lonFits ? east : bbox.east,
    south: latFits ? south : bbox.south,
    north: latFits ? north : bbox.north,
  };
}

/** About a quarter of the span, a power of two, so that grid lines compare equal. */
function gridStepDeg(spanDeg: number, halvings: number): number {
  return 2 ** Math.max(-6, Math.floor(Math.log2(spanDeg / 4)) - halvings);
}
