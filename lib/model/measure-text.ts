import { wrapBearing } from '#lib/geo/longitude.ts';
import { LENGTH_UNIT, lengthIn, SPEED_UNIT, speedIn, type UnitSystem } from './units.ts';

export const NOT_REPORTED = 'not reported';

/** Rounds to a whole number, never to `-0`. */
export function wholeText(value: number | undefined): string | undefined {
  return value === undefined ? undefined : fixed(value, 0);
}

export function lengthText(units: UnitSystem, metres: number | undefined): string | undefined {
  return metres === undefined ? undefined : `${fixed(lengthIn(units, metres), 1)} ${LENGTH_UNIT[units]}`;
}

/** Tenths of a metre would suggest a precision that no report has. */
export function wholeLengthText(units: UnitSystem, metres: number | undefined): string | undefined {
  return metres === undefined ? undefined : `${fixed(lengthIn(units, metres), 0)} ${LENGTH_UNIT[units]}`;
}

export function speedText(units: UnitSystem, metresPerSecond: number | undefined): string | undefined {
  return metresPerSecond === undefined
    ? undefined
    : `${fixed(speedIn(units, metresPerSecond), 1)} ${SPEED_UNIT[units]}`;
}

/** Rounds to 0° up to 359°, so 359.6° becomes 0°. */
export function headingText(deg: number | undefined): string | undefined {
  return deg === undefined ? undefined : `${wrapBearing(Math.round(deg))}°`;
}

/** Trailing zeros would suggest a precision that was not reported. */
function fixed(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)) + 0);
}

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

/** A distance in two or three digits: `850 m`, `2.4 km`, `14 nm`. */
export function nearDistanceText(system: UnitSystem, metres: number): string {
  const value = distanceIn(system, metres);
  if (value < SMALL[system]) return `${Math.round(lengthIn(system, metres))} ${LENGTH_UNIT[system]}`;
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${DISTANCE_UNIT[system]}`;
}

const COMPASS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'] as const;

/** One of eight directions, true north: `NE`. */
export function compassText(deg: number): string {
  return COMPASS[Math.round(wrapBearing(deg) / 45) % 8] ?? '';
}

/** `007°`, true north. */
export function bearingText(deg: number): string {
  return `${String(wrapBearing(Math.round(deg))).padStart(3, '0')}°`;
}

/** Groups digits by narrow no-break spaces, whatever the browser's language: `8 214`. */
export function groupedNumber(value: number): string {
  return value.toLocaleString('en').replaceAll(',', '\u202f');
}

/** The longest round distance of a scale bar, such as `500 m`, and its length on a map. */
export function scaleBar(
  metresPerPx: number,
  units: UnitSystem,
  maxPx: number,
): { readonly text: string; readonly px: number } {
  const maxM = metresPerPx * maxPx;
  const isFar = distanceIn(units, maxM) >= 1;
  const [inUnit, unit] = isFar
    ? [distanceIn(units, maxM), DISTANCE_UNIT[units]]
    : [lengthIn(units, maxM), LENGTH_UNIT[units]];
  const ten = 10 ** Math.floor(Math.log10(inUnit));
  const round = [5, 2, 1].map((step) => step * ten).find((step) => step <= inUnit) ?? ten;
  return { text: `${Number(round.toPrecision(1))} ${unit}`, px: (maxPx * round) / inUnit };
}
