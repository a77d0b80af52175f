'use client';

import { memo } from 'react';
import { type ClockZone, shortClockText } from '#lib/model/clock-text.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { axisTicks, MAX_TICKS } from './axis-ticks.ts';

export const TimeAxis = memo(function TimeAxis({
  window,
  zone,
}: {
  readonly window: Window;
  readonly zone: ClockZone;
}) {
  const lengthMs = windowLengthMs(window);
  const width = useMediaQuery('(max-width: 640px)') ? 'narrow' : 'wide';
  return (
    <div aria-hidden className="relative h-4 font-mono text-dim text-label">
      {axisTicks(window, MAX_TICKS[width][zone]).map((at) => {
        const part = (at - epochMs(window.start)) / lengthMs;
        // Keeps the outermost labels inside the timeline.
        const shift = part < 0.04 ? '0' : part > 0.96 ? '-100%' : '-50%';
        return (
          <span
            key={at}
            className="absolute top-0.5 whitespace-nowrap"
            style={{ left: `${part * 100}%`, transform: `translateX(${shift})` }}
          >
            {shortClockText(upstreamInstant(at), zone)}
          </span>
        );
      })}
    </div>
  );
});
