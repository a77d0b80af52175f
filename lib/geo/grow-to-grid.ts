import { type Bbox, latSpanDeg, lonSpanDeg } from './bbox.ts';

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
