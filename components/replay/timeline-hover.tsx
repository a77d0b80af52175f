'use client';

import { LAYER_DISPLAY_ORDER } from '#lib/client/display/layer-display-order.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { minuteAt } from '#lib/client/replay/minute-at.ts';
import type { ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { MINUTE_LABEL } from './minute-text.ts';

export interface TimelineHoverProps {
  readonly at: UpstreamInstant;
  readonly window: Window;
  readonly layers: ReplaySummary['layers'];
  readonly zone: ClockZone;
}

export function TimelineHover({ at, window, layers, zone }: TimelineHoverProps) {
  const part = msBetween(window.start, at) / windowLengthMs(window);
  const minute = minuteAt(window, at);
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute inset-y-0 z-10 w-px bg-dim"
      style={{ left: `${part * 100}%` }}
    >
      <div
        data-testid="timeline-hover"
        className="absolute bottom-0 h-4 rounded-[4px] bg-raised px-2 text-caption leading-4 whitespace-nowrap ring-1 ring-edge"
        style={{ transform: `translateX(-${part * 100}%)` }}
      >
        <span className="font-mono font-semibold">{clockText(at, zone)}</span>
        {LAYER_DISPLAY_ORDER.filter((layer) => layers[layer].on).map((layer) => (
          <span key={layer} className="ml-2 text-dim">
            {LAYER_NAME[layer]} {MINUTE_LABEL[layers[layer].minutes[minute] ?? 'not-requested']}
          </span>
        ))}
      </div>
    </div>
  );
}
