import { AGE_TOP_S, type Colouring } from '#lib/model/mark-colour.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { LENGTH_UNIT, lengthIn, SPEED_UNIT, speedIn, type UnitSystem } from '#lib/model/units.ts';

interface ScaleTitle {
  readonly whole: string;
  readonly short: string;
}

export const SCALE_TITLE: Readonly<Record<Exclude<ScaledColouring, 'age'>, Readonly<Record<TrackKind, ScaleTitle>>>> = {
  altitude: {
    aircraft: { whole: 'Aircraft altitude', short: 'Aircraft' },
    drone: { whole: 'Drone height above ground', short: 'Drones agl' },
  },
  height: {
    aircraft: { whole: 'Aircraft height above ground', short: 'Aircraft agl' },
    drone: { whole: 'Drone height above ground', short: 'Drones agl' },
  },
  speed: {
    aircraft: { whole: 'Aircraft speed', short: 'Aircraft' },
    drone: { whole: 'Drone speed', short: 'Drones' },
  },
};

export const AGE_TITLE: ScaleTitle = { whole: 'Age of the last position', short: 'Age' };

export function colouringText(colouring: Colouring, units: UnitSystem): string {
  const scale = (scaled: ScaledColouring, kind: TrackKind, title: string) => {
    const { unit, values } = scaleTicks(scaled, kind, units);
    return `${title} ${values[0]} to ${values.at(-1)} ${unit}`;
  };
  switch (colouring) {
    case 'age':
      return `Coloured by ${scale('age', 'aircraft', 'age')}, from bright to dark`;
    case 'confidence':
      return 'Coloured by confidence label';
    case 'kind':
      return 'Coloured by kind';
    default: {
      const scales = (['aircraft', 'drone'] as const).map((kind) =>
        scale(
          colouring,
          kind,
          SCALE_TITLE[colouring][kind].whole.replace(/^./, (first) => first.toLowerCase()),
        ),
      );
      return `Coloured by ${scales.join(' and ')}; grey: ${NOT_REPORTED}`;
    }
  }
}

export type ScaledColouring = Exclude<Colouring, 'confidence' | 'kind'>;

interface ScaleTicks {
  readonly unit: string;
  readonly values: readonly number[];
  /** The end of the scale, in the unit of `markRgb`. */
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

/** The ticks of a scale: round numbers in the units of the operator. */
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
