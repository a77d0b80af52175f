import type { TrackKind } from '#lib/model/position.ts';
import { lengthIn, type UnitSystem } from '#lib/model/units.ts';

export interface ScaleTicks {
  /** In the operator's unit, equally spaced from 0; the scale continues beyond the last. */
  readonly values: readonly number[];
  /** The last value, in metres. */
  readonly topM: number;
}

const metres: Readonly<Record<TrackKind, readonly number[]>> = {
  aircraft: [0, 3000, 6000, 9000, 12_000],
  drone: [0, 30, 60, 90, 120, 150],
};

const feet: Readonly<Record<TrackKind, readonly number[]>> = {
  aircraft: [0, 10_000, 20_000, 30_000, 40_000],
  drone: [0, 100, 200, 300, 400, 500],
};

/** Round numbers along an altitude scale in the operator's unit. */
export function scaleTicks(kind: TrackKind, units: UnitSystem): ScaleTicks {
  const values = (units === 'metric' ? metres : feet)[kind];
  return { values, topM: (values.at(-1) ?? 0) / lengthIn(units, 1) };
}
