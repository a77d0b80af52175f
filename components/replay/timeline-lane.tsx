'use client';

import { memo } from 'react';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { ReplayLayer } from '#lib/client/replay/replay-summary.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import type { Window } from '#lib/time/window.ts';
import { CompletenessBand } from './completeness-band.tsx';
import { coarser, histogramPath } from './histogram-path.ts';

/** Bars of the histogram that are still told apart on a screen. */
const BARS_MAX = 180;

export interface TimelineLaneProps {
  readonly layer: ReplayLayer;
  readonly window: Window;
}

/** A layer by time: how many observations, and how much is known. */
export const TimelineLane = memo(function TimelineLane({ layer, window }: TimelineLaneProps) {
  const name = LAYER_NAME[layer.layer];
  const bars = coarser(layer.histogram, Math.max(1, Math.ceil(layer.histogram.length / BARS_MAX)));
  return (
    <div data-testid={`lane-${layer.layer}`} data-observations={layer.observations}>
      <p className="pointer-events-none flex items-baseline justify-between text-caption text-dim">
        <span>{name}</span>
        <span>{layer.on ? `${groupedNumber(layer.observations)} positions` : 'layer is off'}</span>
      </p>
      <svg
        aria-hidden
        viewBox={`0 0 ${Math.max(1, bars.length)} 1`}
        preserveAspectRatio="none"
        className="block h-5 w-full text-muted"
      >
        <path d={histogramPath(bars)} fill="currentColor" />
      </svg>
      <CompletenessBand label={`${name}: completeness`} minutes={layer.on ? layer.minutes : []} window={window} />
    </div>
  );
});
