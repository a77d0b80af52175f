import { wrapBearing } from '#lib/geo/longitude.ts';
import { LENGTH_UNIT, lengthIn, type UnitSystem } from './units.ts';

export const DISTANCE_UNIT: Readonly<Record<UnitSystem, string>> = { metric: 'km', aviation: 'nm', imperial: 'mi' };
const METRES_PER_DISTANCE: Readonly<Record<UnitSystem, number>> = { metric: 1000, aviation: 1852, imperial: 1609.344 };

/** Shorter distances are given in the unit of lengths. */
const SMALL: Readonly<Record<UnitSystem, number>> = { metric: 1, aviation: 0.5, imperial: 0.5 };

export function metresOf(system: UnitSystem, distance: number): number {
  return distance * METRES_PER_DISTANCE[system];
}

export function distanceIn(system: UnitSystem, metres: number): number {
  return metres / METRES_PER_DISTANCE[system];
}

/** `850 m`, `12.40 km`, `123.4 nm` */
export function distanceText(system: UnitSystem, metres: number): string {
  const value = distanceIn(system, metres);
  if (value < SMALL[system]) return `${Math.round(lengthIn(system, metres))} ${LENGTH_UNIT[system]}`;
  return `${value.toFixed(value < 99.995 ? 2 : 1)} ${DISTANCE_UNIT[system]}`;
}

/** `007°`, true north. */
export function bearingText(deg: number): string {
  return `${String(wrapBearing(Math.round(deg))).padStart(3, '0')}°`;
}
