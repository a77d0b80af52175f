import type { Bbox } from '#lib/geo/bbox.ts';

/** A box in whole steps of stored positions, edges inclusive, west ≤ east. */
export interface BoxInSteps {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** A question's box, which may also contain the meridian 180° under its other sign. */
export interface AskedBox extends BoxInSteps {
  /** The longitude, in steps, of the meridian that is also in the box; undefined if there is none. */
  readonly alsoLon: number | undefined;
}

/**
 * The steps that lie in the box (west < east): a position is in it if and only if `bboxContains` says so of its degrees.
 */
export function askedBox(bbox: Bbox, stepsPerDeg: number): AskedBox {
  const turn = 180 * stepsPerDeg;
  return {
    west: firstFrom(bbox.west, stepsPerDeg),
    south: firstFrom(bbox.south, stepsPerDeg),
    east: -firstFrom(-bbox.east, stepsPerDeg),
    north: -firstFrom(-bbox.north, stepsPerDeg),
    alsoLon: bbox.west <= -180 ? turn : bbox.east >= 180 ? -turn : undefined,
  };
}

/** The least number of steps that is not below `deg`. Multiplying rounds, so what decides is the division. */
function firstFrom(deg: number, stepsPerDeg: number): number {
  let steps = Math.ceil(deg * stepsPerDeg);
  while ((steps - 1) / stepsPerDeg >= deg) steps -= 1;
  while (steps / stepsPerDeg < deg) steps += 1;
  return steps;
}

export function contains(box: AskedBox, lon: number, lat: number): boolean {
  if (lat < box.south || lat > box.north) return false;
  return (lon >= box.west && lon <= box.east) || lon === box.alsoLon;
}

/** Whether any place of `inner` lies in the box. */
export function touches(box: AskedBox, inner: BoxInSteps): boolean {
  if (inner.north < box.south || inner.south > box.north) return false;
  if (inner.east >= box.west && inner.west <= box.east) return true;
  return box.alsoLon !== undefined && inner.west <= box.alsoLon && inner.east >= box.alsoLon;
}

/** Whether every place of `inner` lies in the box. */
export function covers(box: AskedBox, inner: BoxInSteps): boolean {
  return inner.west >= box.west && inner.east <= box.east && inner.south >= box.south && inner.north <= box.north;
}
