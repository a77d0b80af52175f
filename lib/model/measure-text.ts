import { wrapBearing } from '#lib/geo/longitude.ts';
import { LENGTH_UNIT, lengthIn, SPEED_UNIT, speedIn, type UnitSystem } from '#lib/model/units.ts';

export const NOT_REPORTED = 'not reported';

/** Rounds to a whole number, never to `-0`. */
export function wholeText(value: number | undefined): string | undefined {
  return value === undefined ? undefined : fixed(value, 0);
}

export function lengthText(units: UnitSystem, metres: number | undefined): string | undefined {
  return metres === undefined ? undefined : `${fixed(lengthIn(units, metres), 1)} ${LENGTH_UNIT[units]}`;
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
