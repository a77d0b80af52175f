'use client';

import { altitudeScale, UNKNOWN_ALTITUDE_RGB } from '#lib/model/altitude-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { LENGTH_UNIT, type UnitSystem } from '#lib/model/units.ts';
import { cssColour } from '../ui/css-colour.ts';
import { scaleTicks } from './scale-ticks.ts';

const TITLE: Readonly<Record<TrackKind, string>> = {
  aircraft: 'Aircraft altitude',
  drone: 'Drone height above ground',
};

/** Enough stops for the gradient to match the scale's colours. */
const COLOUR_COUNT = 25;

/** The colour scale of one kind of track, in the operator's unit. */
export function LegendScale({ kind, units }: { readonly kind: TrackKind; readonly units: UnitSystem }) {
  const { values, topM } = scaleTicks(kind, units);
  const colours = altitudeScale(kind, topM, COLOUR_COUNT).map(cssColour);
  return (
    <div>
      <div className="mb-1 flex items-center gap-4 text-dim">
        {TITLE[kind]}, {LENGTH_UNIT[units]}
        <span className="flex items-center gap-1.5">
          <span
            aria-hidden
            className="h-2 w-4 rounded-full"
            style={{ backgroundColor: cssColour(UNKNOWN_ALTITUDE_RGB) }}
          />
          not reported
        </span>
      </div>
      <div className="h-2 rounded-full" style={{ backgroundImage: `linear-gradient(90deg, ${colours.join(', ')})` }} />
      <div className="mt-0.5 flex justify-between text-label text-dim">
        {values.map((value, index) => (
          <span key={value}>
            {value.toLocaleString('en').replaceAll(',', '\u202f')}
            {index === values.length - 1 && '+'}
          </span>
        ))}
      </div>
    </div>
  );
}
