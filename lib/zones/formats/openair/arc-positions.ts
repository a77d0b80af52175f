import { bearingDeg, destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapBearing, wrapLongitude } from '#lib/geo/longitude.ts';
import type { Position } from '../reading/coordinates.ts';

/** Edges are up to 0.03 % of the radius inside. */
const STEP_DEG = 3;
const DECIMALS = 1e7;

/** Includes both ends. @param clockwise seen from above */
export function arcByBearings(
  centre: Position,
  radiusM: number,
  fromDeg: number,
  toDeg: number,
  clockwise: boolean,
): Position[] {
  return arc(centre, fromDeg, turn(fromDeg, toDeg, clockwise), () => radiusM);
}

/** The format states the radius twice; where they differ, it changes evenly. */
export function arcBetween(centre: Position, from: Position, to: Position, clockwise: boolean): Position[] {
  const [middle, start, end] = [centre, from, to].map(([lon, lat]) => ({ lon, lat })) as [LonLat, LonLat, LonLat];
  const [startM, endM] = [distanceM(middle, start), distanceM(middle, end)];
  const startDeg = bearingDeg(middle, start);
  const turnDeg = turn(startDeg, bearingDeg(middle, end), clockwise);
  return [from, ...arc(centre, startDeg, turnDeg, (part) => startM + part * (endM - startM)).slice(1, -1), to];
}

/** Signed degrees; a whole turn for equal bearings. */
function turn(fromDeg: number, toDeg: number, clockwise: boolean): number {
  const clockwiseDeg = wrapBearing(toDeg - fromDeg) || 360;
  return clockwise || clockwiseDeg === 360 ? clockwiseDeg : clockwiseDeg - 360;
}

function arc([lon, lat]: Position, fromDeg: number, turnDeg: number, radiusM: (part: number) => number): Position[] {
  const steps = Math.max(1, Math.ceil(Math.abs(turnDeg) / STEP_DEG));
  return Array.from({ length: steps + 1 }, (_, step) => {
    const part = step / steps;
    const place = destination({ lon, lat }, fromDeg + part * turnDeg, radiusM(part));
    return [rounded(wrapLongitude(place.lon)), rounded(place.lat)];
  });
}

function rounded(deg: number): number {
  return Math.round(deg * DECIMALS) / DECIMALS + 0;
}
