import { AGE_TOP_S, type Colouring } from '#lib/model/mark-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { LENGTH_UNIT, lengthIn, SPEED_UNIT, speedIn, type UnitSystem } from '#lib/model/units.ts';

export type ScaledColouring = Exclude<Colouring, 'confidence' | 'kind'>;

export interface ScaleTicks {
  readonly unit: string;
  readonly values: readonly number[];
  /** In the unit of `markRgb`. */
  readonly top: number;
}

type Ticks = Readonly<Record<TrackKind, readonly number[]>>;

const metres: Ticks = { aircraft: [0, 3000, 6000, 9000, 12_000], drone: [0, 30, 60, 90, 120, 150] };
const feet: Ticks = { aircraft: [0, 10_000, 20_000, 30_000, 40_000], drone: [0, 100, 200, 300, 400, 500] };

const speeds: Readonly<Record<UnitSystem, Ticks>> = {
  metric: { aircraft: [0, 100, 200, 300], drone: [0, 10, 20, 30] },
  aviation: { aircraft: [0, 150, 300, 450, 600], drone: [0, 15, 30, 45, 60] },
  imperial: { aircraft: [0, 150, 300, 450, 600], drone: [0, 20, 40, 60] },
};

/** Round numbers in the operator's unit. */
export function scaleTicks(colouring: ScaledColouring, kind: TrackKind, units: UnitSystem): ScaleTicks {
  switch (colouring) {
    case 'altitude':
    case 'height': {
      const values = (units === 'metric' ? metres : feet)[kind];
      return { unit: LENGTH_UNIT[units], values, top: (values.at(-1) ?? 0) / lengthIn(units, 1) };
    }
    case 'speed': {
      const values = speeds[units][kind];
      return { unit: SPEED_UNIT[units], values, top: (values.at(-1) ?? 0) / speedIn(units, 1) };
    }
    case 'age':
      return { unit: 's', values: [0, 15, 30, 45, AGE_TOP_S], top: AGE_TOP_S };
  }
}
