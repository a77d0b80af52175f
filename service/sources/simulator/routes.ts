import { bearingDeg, destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import type { Airport } from './airports.ts';

/** From one airport to another, or closed. */
export interface Route {
  readonly from: Airport;
  readonly to: Airport;
  readonly lengthM: number;
  /** Maximum distance of its points. */
  readonly centre: LonLat;
  readonly reachM: number;
  /** @param alongM 0 to `lengthM` */
  at(alongM: number): LonLat & { readonly headingDeg: number };
}

/** @param gate where it stands at an airport */
export function greatCircle(from: Airport, to: Airport, gate: (airport: Airport) => LonLat): Route {
  const [start, end] = [gate(from), gate(to)];
  const lengthM = distanceM(start, end);
  const bearing = bearingDeg(start, end);
  return {
    from,
    to,
    lengthM,
    centre: destination(start, bearing, lengthM / 2),
    reachM: lengthM / 2,
    at(alongM) {
      const place = destination(start, bearing, alongM);
      // The bearing to the nearer end becomes undefined.
      const headingDeg = alongM < lengthM / 2 ? bearingDeg(place, end) : bearingDeg(place, start) + 180;
      return { ...place, headingDeg };
    },
  };
}

const degOf = (rad: number) => (rad * 180) / Math.PI;

/** Two straight legs, the first along the runway, joined by half turns to the right. */
export function circuit(field: Airport, legM: number, radiusM: number): Route {
  const halfM = legM + Math.PI * radiusM;
  return {
    from: field,
    to: field,
    lengthM: 2 * halfM,
    centre: field,
    reachM: Math.hypot(legM / 2 + radiusM, 2 * radiusM),
    at(alongM) {
      // The second half is the first, turned by 180° around the centre.
      const isSecond = alongM % (2 * halfM) >= halfM;
      const inHalfM = alongM % halfM;
      const turnRad = Math.max(0, Math.min(Math.PI, (inHalfM - legM / 2) / radiusM));
      const straightM = inHalfM < legM / 2 ? inHalfM : Math.min(legM / 2, halfM - inHalfM);
      const aheadM = straightM + radiusM * Math.sin(turnRad);
      const rightM = radiusM - radiusM * Math.cos(turnRad);
      const [x, y] = isSecond ? [-aheadM, 2 * radiusM - rightM] : [aheadM, rightM];
      const headingDeg = field.runwayDeg + degOf(turnRad) + (isSecond ? 180 : 0);
      return { ...destination(field, field.runwayDeg + degOf(Math.atan2(y, x)), Math.hypot(x, y)), headingDeg };
    },
  };
}
