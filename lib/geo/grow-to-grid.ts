import { type Bbox, latSpanDeg, lonSpanDeg } from './bbox.ts';

/**
 * Grows a box that does not cross 180° outwards to a grid whose step follows its size, so that neighbouring views ask for
 * the same area. The result covers the box, stays inside the world and has no side over `maxSpanDeg`; a side that would
 * grow past it stays as it is.
 * @param halvings of the grid's step, for a box that should grow less
 */
export function growToGrid(bbox: Bbox, maxSpanDeg: number, halvings = 0): Bbox {
  const stepDeg = gridStepDeg(Math.max(lonSpanDeg(bbox), latSpanDeg(bbox)), halvings);
  const west = Math.max(-180, Math.floor(bbox.west / stepDeg) * stepDeg);
  const east = Math.min(180, Math.ceil(bbox.east / stepDeg) * stepDeg);
  const south = Math.max(-90, Math.floor(bbox.south / stepDeg) * stepDeg);
  const north = Math.min(90, Math.ceil(bbox.north / stepDeg) * stepDeg);
  const lonFits = east - west <= maxSpanDeg;
  const latFits = north - south <= maxSpanDeg;
  return {
    west: lonFits ? west : bbox.west,
    east: lonFits ? east : bbox.east,
    south: latFits ? south : bbox.south,
    north: latFits ? north : bbox.north,
  };
}

/** Powers of two of a degree: exact in binary, so that grid lines compare equal. About a quarter of the box. */
function gridStepDeg(spanDeg: number, halvings: number): number {
  return 2 ** Math.max(-6, Math.floor(Math.log2(spanDeg / 4)) - halvings);
}
