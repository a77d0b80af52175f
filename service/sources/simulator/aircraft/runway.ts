import { type LocalPoint, offset } from '../motion/local-frame.ts';
import type { Airport } from './airports.ts';

/**
 * An airport's runway, taxiway and stands for one runway direction, in a local frame at the middle of the main runway.
 */
export interface Runway {
  readonly headingDeg: number;
  readonly lengthM: number;
  readonly threshold: LocalPoint;
  /** The point past the threshold where a landing aircraft leaves the runway. */
  readonly turnOff: LocalPoint;
  /** From a stand to the threshold, both inclusive. */
  taxiOut(standAlongM: number): LocalPoint[];
  /** From the turn-off (exclusive) to a stand (inclusive). */
  taxiIn(standAlongM: number): LocalPoint[];
}

/** Plausible, not surveyed: the length of the runway, and how far to its right the taxiway and the stands lie. */
const GROUND_M = {
  large: { runway: 3200, taxiway: 190, stands: 620 },
  medium: { runway: 2100, taxiway: 150, stands: 380 },
  small: { runway: 700, taxiway: 50, stands: 110 },
};

/** `reversed` selects the runway's other direction; the stands stay in place. */
export function runwayOf(airport: Airport, reversed: boolean): Runway {
  const size = GROUND_M[airport.size];
  const side = reversed ? -1 : 1;
  const headingDeg = (airport.runwayDeg + (reversed ? 180 : 0)) % 360;
  const middle = { eastM: 0, northM: 0 };
  const at = (alongM: number, rightM: number) => offset(middle, headingDeg, alongM, side * rightM);
  const start = -size.runway / 2;
  const turnOffAlong = start + size.runway * 0.7;
  return {
    headingDeg,
    lengthM: size.runway,
    threshold: at(start, 0),
    turnOff: at(turnOffAlong, 0),
    taxiOut: (standAlongM) => [
      at(side * standAlongM, size.stands),
      at(side * standAlongM, size.taxiway),
      at(start, size.taxiway),
      at(start, 0),
    ],
    taxiIn: (standAlongM) => [
      at(turnOffAlong + size.taxiway, size.taxiway),
      at(side * standAlongM, size.taxiway),
      at(side * standAlongM, size.stands),
    ],
  };
}
