import type { Colouring } from '#lib/model/mark-colour.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';
import type { TrackKind } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { type ScaledColouring, scaleTicks } from './scale-ticks.ts';

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
