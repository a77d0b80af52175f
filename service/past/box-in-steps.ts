import type { Bbox } from '#lib/geo/bbox.ts';

/** A box in whole steps, with its edges, and west ≤ east. */
export interface BoxInSteps {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export interface AskedBox extends BoxInSteps {
  /** The meridian 180° under its other sign, in steps. */
  readonly alsoLon: number | undefined;
}

/** Steps whose degrees `bboxContains` accepts (west < east). */
export function askedBox(bbox: Bbox, stepsPerDeg: number): AskedBox {
  const halfTurn = 180 * stepsPerDeg;
  return {
    west: firstFrom(bbox.west, stepsPerDeg),
    south: firstFrom(bbox.south, stepsPerDeg),
    east: -firstFrom(-bbox.east, stepsPerDeg),
    north: -firstFrom(-bbox.north, stepsPerDeg),
    alsoLon: bbox.west <= -180 ? halfTurn : bbox.east >= 180 ? -halfTurn : undefined,
  };
}

/** The first step at or after an edge. Multiplying rounds, so the division decides. */
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

export function touches(box: AskedBox, inner: BoxInSteps): boolean {
  if (inner.north < box.south || inner.south > box.north) return false;
  if (inner.east >= box.west && inner.west <= box.east) return true;
  return box.alsoLon !== undefined && inner.west <= box.alsoLon && inner.east >= box.alsoLon;
}

export function covers(box: AskedBox, inner: BoxInSteps): boolean {
  return inner.west >= box.west && inner.east <= box.east && inner.south >= box.south && inner.north <= box.north;
}
