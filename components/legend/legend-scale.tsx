'use client';

import { altitudeScale, UNKNOWN_ALTITUDE_RGB } from '#lib/model/altitude-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { LENGTH_UNIT, type UnitSystem } from '#lib/model/units.ts';
import { cssColour } from '../ui/css-colour.ts';
import { scaleTicks } from './scale-ticks.ts';

const TITLE: Readonly<Record<TrackKind, { readonly whole: string; readonly short: string }>> = {
  aircraft: { whole: 'Aircraft altitude', short: 'Aircraft' },
  drone: { whole: 'Drone height above ground', short: 'Drones agl' },
};

/** Enough stops for the gradient to match the scale's colours. */
const COLOUR_COUNT = 25;

/** The colour scale of one kind of track, in the operator's unit. */
export function LegendScale({ kind, units }: { readonly kind: TrackKind; readonly units: UnitSystem }) {
  const { values, topM } = scaleTicks(kind, units);
  const colours = altitudeScale(kind, topM, COLOUR_COUNT).map(cssColour);
  return (
    <div className="legend-scale">
      <div className="flex items-center gap-2 whitespace-nowrap text-dim">
        <span className="legend-whole truncate">
          {TITLE[kind].whole}, {LENGTH_UNIT[units]}
        </span>
        <span aria-hidden className="legend-short">
          {TITLE[kind].short}, {LENGTH_UNIT[units]}
        </span>
        <span className="legend-unknown ml-auto flex items-center gap-1.5">
          <span
            aria-hidden
            className="legend-colours h-1.5 w-3 rounded-full"
            style={{ backgroundColor: cssColour(UNKNOWN_ALTITUDE_RGB) }}
          />
          n/r
          <span className="sr-only">: not reported</span>
        </span>
      </div>
      <div
        aria-hidden
        className="legend-colours h-1.5 rounded-full"
        style={{ backgroundImage: `linear-gradient(90deg, ${colours.join(', ')})` }}
      />
      <div className="legend-ticks flex justify-between text-label text-dim leading-3">
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
