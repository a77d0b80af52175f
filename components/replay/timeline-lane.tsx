'use client';

import { memo } from 'react';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { MinuteState, ReplayLayer } from '#lib/client/replay/replay-summary.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import type { Window } from '#lib/time/window.ts';
import { CompletenessBand } from './completeness-band.tsx';
import { coarser, hatchedPath, highest, histogramPath } from './histogram-path.ts';

const MAX_BARS = 180;
const NONE: readonly MinuteState[] = [];

export interface TimelineLaneProps {
  readonly layer: ReplayLayer;
  readonly window: Window;
  /** The filtered part of the histogram; `undefined`: all of it. */
  readonly shown: Uint32Array | undefined;
}

export const TimelineLane = memo(function TimelineLane({ layer, window, shown }: TimelineLaneProps) {
  const name = LAYER_NAME[layer.layer];
  const binsPerBar = Math.max(1, Math.ceil(layer.histogram.length / MAX_BARS));
  const bars = coarser(layer.histogram, binsPerBar);
  const max = highest(bars);
  const shownCount = shown?.reduce((sum, count) => sum + count, 0);
  const of = shownCount === undefined ? '' : `${groupedNumber(shownCount)} of `;
  return (
    <div data-testid={`lane-${layer.layer}`} data-observations={layer.observations} data-shown={shownCount}>
      {/* Over the cursor, which would cross them out. */}
      <p className="pointer-events-none relative z-10 flex items-baseline justify-between text-caption text-dim">
        <span className="bg-surface pr-1">{name}</span>
        <span className="bg-surface pl-1">
          {layer.on ? `${of}${groupedNumber(layer.observations)} positions` : 'layer is off'}
        </span>
      </p>
      <svg
        aria-hidden
        viewBox={`0 0 ${Math.max(1, bars.length)} 1`}
        preserveAspectRatio="none"
        className="lane-bars block h-5 w-full text-muted"
      >
        {shown && <path d={hatchedPath(bars, max)} stroke="currentColor" vectorEffect="non-scaling-stroke" />}
        <path d={histogramPath(shown ? coarser(shown, binsPerBar) : bars, max)} fill="currentColor" />
      </svg>
      <CompletenessBand
        label={`${name}: completeness`}
        leadIn={layer.on ? layer.leadIn : NONE}
        minutes={layer.on ? layer.minutes : NONE}
        window={window}
      />
    </div>
  );
});
