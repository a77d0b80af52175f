'use client';

import { type PointerEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useFilter, useLookout, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { minuteAt } from '#lib/client/replay/replay-progress.ts';
import type { ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { activeCriteria } from '#lib/filter/track-filter.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { KIND_OF_LAYER } from '#lib/model/layer-kind.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import { MINUTE_LABEL } from './minute-text.ts';
import { TimeAxis } from './time-axis.tsx';
import { TimelineCursor } from './timeline-cursor.tsx';
import { TimelineLane } from './timeline-lane.tsx';
import { useWindowTracks } from './window-tracks/use-window-tracks.ts';

/** Fraction of the window per notch of the wheel: a minute of an hour. */
const NOTCH_FRACTION = 1 / 60;
/** Most mice's wheel delta per notch, in CSS pixels. */
const NOTCH_PX = 100;

export function Timeline({ window }: { readonly window: Window }) {
  const { replay } = useLookout();
  const [{ zone }] = usePreferences();
  const layers = useReplay((summary) => summary?.layers);
  const { tracks } = useWindowTracks();
  const isFiltered = activeCriteria(useFilter().filter).length > 0;
  const ref = useRef<HTMLDivElement>(null);
  const [hoverAt, setHoverAt] = useState<UpstreamInstant>();

  const timeAt = (clientX: number): UpstreamInstant => {
    const { left, width } = (ref.current as HTMLDivElement).getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (clientX - left) / width));
    return addMs(window.start, Math.round(part * windowLengthMs(window)));
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.isPrimary || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    replay.command({ do: 'seek', to: timeAt(event.clientX) });
  };
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const at = timeAt(event.clientX);
    setHoverAt(at);
    if (event.currentTarget.hasPointerCapture(event.pointerId)) replay.command({ do: 'seek', to: at });
  };

  const onWheel = useEffectEvent((event: WheelEvent) => {
    const playback = replay.session?.playback;
    if (!playback) return;
    event.preventDefault();
    const notches = (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY) / NOTCH_PX;
    const byMs = Math.round(notches * windowLengthMs(window) * NOTCH_FRACTION);
    replay.command({ do: 'seek', to: addMs(playback.cursor, byMs) });
  });
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    // React's wheel listeners are passive, and moving the cursor must not scroll the page as well.
    const listener = (event: WheelEvent) => onWheel(event);
    element.addEventListener('wheel', listener, { passive: false });
    return () => element.removeEventListener('wheel', listener);
  }, []);

  if (!layers) return null;
  return (
    <div className="phone:px-1">
      <div
        ref={ref}
        data-testid="timeline"
        className="relative cursor-ew-resize touch-none select-none pt-1"
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setHoverAt(undefined)}
      >
        <div className="timeline-lanes flex flex-col gap-1.5">
          {LAYER_DISPLAY_ORDER.map((layer) => (
            <TimelineLane
              key={layer}
              layer={layers[layer]}
              window={window}
              shown={isFiltered ? tracks?.[KIND_OF_LAYER[layer]].histogram : undefined}
            />
          ))}
        </div>
        <TimelineCursor window={window} valueText={(at) => clockText(at, zone)} />
        {hoverAt !== undefined && <TimelineHover at={hoverAt} window={window} layers={layers} zone={zone} />}
        <TimeAxis window={window} zone={zone} />
      </div>
    </div>
  );
}

interface TimelineHoverProps {
  readonly at: UpstreamInstant;
  readonly window: Window;
  readonly layers: ReplaySummary['layers'];
  readonly zone: ClockZone;
}

function TimelineHover({ at, window, layers, zone }: TimelineHoverProps) {
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
