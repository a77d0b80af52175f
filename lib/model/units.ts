/** Only for display: values are stored in metres and metres per second. */
export const UNIT_SYSTEMS = ['metric', 'aviation', 'imperial'] as const;
export type UnitSystem = (typeof UNIT_SYSTEMS)[number];

const METRES_PER_FOOT = 0.3048;
const MPS_PER_KNOT = 1852 / 3600;
const MPS_PER_MPH = 1609.344 / 3600;

export const LENGTH_UNIT: Readonly<Record<UnitSystem, string>> = { metric: 'm', aviation: 'ft', imperial: 'ft' };
export const SPEED_UNIT: Readonly<Record<UnitSystem, string>> = { metric: 'm/s', aviation: 'kt', imperial: 'mph' };

export function lengthIn(system: UnitSystem, metres: number): number {
  return system === 'metric' ? metres : metres / METRES_PER_FOOT;
}

export function speedIn(system: UnitSystem, metresPerSecond: number): number {
  if (system === 'metric') return metresPerSecond;
  return metresPerSecond / (system === 'aviation' ? MPS_PER_KNOT : MPS_PER_MPH);
}

export function metresFrom(system: UnitSystem, length: number): number {
  return system === 'metric' ? length : length * METRES_PER_FOOT;
}

export function mpsFrom(system: UnitSystem, speed: number): number {
  if (system === 'metric') return speed;
  return speed * (system === 'aviation' ? MPS_PER_KNOT : MPS_PER_MPH);
}

/** Kinds of typed numbers: a length or speed in the units of the operator, seconds, seconds as minutes, or a plain number. */
export type Measure = 'length' | 'speed' | 's' | 'min' | 'number';

/** A unit of a field, and both ways between the stored value and the one on screen. */
export interface ShownUnit {
  readonly unit: string;
  readonly shown: (stored: number) => number;
  readonly stored: (shown: number) => number;
}

export function shownUnit(measure: Measure, system: UnitSystem): ShownUnit {
  switch (measure) {
    case 'length':
      return {
        unit: LENGTH_UNIT[system],
        shown: (metres) => lengthIn(system, metres),
        stored: (length) => metresFrom(system, length),
      };
    case 'speed':
      return {
        unit: SPEED_UNIT[system],
        shown: (mps) => speedIn(system, mps),
        stored: (speed) => mpsFrom(system, speed),
      };
    case 's':
    case 'number':
      return { unit: measure === 's' ? 's' : '', shown: (value) => value, stored: (value) => value };
    case 'min':
      return { unit: 'min', shown: (seconds) => seconds / 60, stored: (minutes) => minutes * 60 };
  }
}
