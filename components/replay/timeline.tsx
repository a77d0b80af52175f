'use client';

import { memo, type PointerEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useFilter, useLookout, usePreferences, useReplay } from '#lib/client/page/lookout-context.tsx';
import { minuteAt, worstMinute } from '#lib/client/replay/replay-progress.ts';
import type { MinuteState, ReplayLayer, ReplaySummary } from '#lib/client/replay/replay-summary.ts';
import { activeCriteria } from '#lib/filter/track-filter.ts';
import { type ClockZone, clockText, shortClockText } from '#lib/model/clock-text.ts';
import { KIND_OF_LAYER } from '#lib/model/position.ts';
import { addMs, epochMs, msBetween, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { axisTicks, type Window, windowLengthMs } from '#lib/time/window.ts';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { MINUTE_LABEL, minuteRuns, positionsText } from './minutes.ts';
import { useWindowTracks } from './window-tracks/use-window-tracks.ts';

/** Fraction of the window per notch of the wheel: a minute of an hour. */
const NOTCH_FRACTION = 1 / 60;
/** Most mice's wheel delta per notch, in CSS pixels. */
const NOTCH_PX = 100;

/**
 * The window of a replay: a lane for each layer, with its positions and its completeness, and the cursor over all of them. A
 * press, a drag or the wheel moves the cursor.
 */
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
        <div className="timeline-lanes flex flex-col gap-1">
          {LAYER_DISPLAY_ORDER.map((layer) => (
            <TimelineLane
              key={layer}
              layer={layers[layer]}
              window={window}
              shown={isFiltered ? tracks?.[KIND_OF_LAYER[layer]].histogram : undefined}
            />
          ))}
        </div>
        <TimelineCursor window={window} zone={zone} />
        {hoverAt !== undefined && <TimelineHover at={hoverAt} window={window} layers={layers} zone={zone} />}
        <TimeAxis window={window} zone={zone} />
      </div>
    </div>
  );
}

const MAX_BARS = 180;
const NONE: readonly MinuteState[] = [];

interface TimelineLaneProps {
  readonly layer: ReplayLayer;
  readonly window: Window;
  /** The filtered part of the histogram; `undefined`: all of it. */
  readonly shown: Uint32Array | undefined;
}

const TimelineLane = memo(function TimelineLane({ layer, window, shown }: TimelineLaneProps) {
  const name = LAYER_NAME[layer.layer];
  const binsPerBar = Math.max(1, Math.ceil(layer.histogram.length / MAX_BARS));
  const bars = coarser(layer.histogram, binsPerBar);
  const max = highest(bars);
  const shownCount = shown?.reduce((sum, count) => sum + count, 0);
  return (
    <div
      data-testid={`lane-${layer.layer}`}
      data-observations={layer.observations}
      data-shown={shownCount}
      className="relative"
    >
      {/* They are drawn over the bars and the cursor, which would cross them out. */}
      <p className="pointer-events-none absolute inset-x-0 top-0 z-10 flex items-baseline justify-between text-caption text-dim leading-[14px]">
        <span className="rounded-[3px] bg-surface/85 px-1">{name}</span>
        <span data-testid={`lane-count-${layer.layer}`} className="rounded-[3px] bg-surface/85 px-1">
          {positionsText(layer, window, shownCount)}
        </span>
      </p>
      <svg
        aria-hidden
        viewBox={`0 0 ${Math.max(1, bars.length)} 1`}
        preserveAspectRatio="none"
        className="lane-bars block h-8 w-full text-muted"
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

interface CompletenessBandProps {
  readonly label: string;
  readonly leadIn: readonly MinuteState[];
  readonly minutes: readonly MinuteState[];
  readonly window: Window;
}

/** Minutes of a layer, with its lead-in to the left. */
const CompletenessBand = memo(function CompletenessBand({ label, leadIn, minutes, window }: CompletenessBandProps) {
  const lengthMs = windowLengthMs(window);
  const runs = minuteRuns(minutes, window);
  const before = worstMinute(leadIn);
  const beforeText = before && `Lead-in, ${leadIn.length} min before the window: ${MINUTE_LABEL[before]}`;
  return (
    <ol aria-label={label} className="relative h-2">
      {before && (
        <li className="band absolute inset-y-0 -left-2.5 w-2" data-lead-in data-state={before} title={beforeText}>
          <span className="sr-only">{beforeText}</span>
        </li>
      )}
      {runs.map(({ state, startMs, endMs }) => (
        <li
          key={startMs}
          className="band absolute inset-y-0"
          data-state={state}
          data-start={new Date(startMs).toISOString()}
          data-end={new Date(endMs).toISOString()}
          style={{
            left: `${((startMs - epochMs(window.start)) / lengthMs) * 100}%`,
            width: `${((endMs - startMs) / lengthMs) * 100}%`,
          }}
        >
          <span className="sr-only">{`${shortClockText(upstreamInstant(startMs), 'utc')} to ${shortClockText(upstreamInstant(endMs), 'utc')}: ${MINUTE_LABEL[state]}`}</span>
        </li>
      ))}
    </ol>
  );
});

/** The cursor is written past React, since a playing replay moves it in every frame. */
function TimelineCursor({ window, zone }: { readonly window: Window; readonly zone: ClockZone }) {
  const { replay } = useLookout();
  const line = useRef<HTMLDivElement>(null);

  const update = useEffectEvent(() => {
    const element = line.current;
    const summary = replay.summary();
    if (!element || !summary) return;
    const { cursor } = summary.playback;
    element.style.left = `${(msBetween(window.start, cursor) / windowLengthMs(window)) * 100}%`;
    element.dataset.waiting = String(summary.isWaiting);
    const announced = clockText(cursor, zone);
    if (element.getAttribute('aria-valuetext') === announced) return;
    element.setAttribute('aria-valuetext', announced);
    element.setAttribute('aria-valuenow', String(Math.round(msBetween(window.start, cursor) / 1000)));
  });
  useEffect(() => {
    update();
    return replay.subscribe(() => update());
  }, [replay]);

  return (
    <div
      ref={line}
      className="replay-cursor"
      data-testid="replay-cursor"
      role="slider"
      tabIndex={0}
      aria-label="Replay time"
      aria-valuemin={0}
      aria-valuemax={Math.round(windowLengthMs(window) / 1000)}
      aria-valuenow={0}
    />
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

const TimeAxis = memo(function TimeAxis({ window, zone }: { readonly window: Window; readonly zone: ClockZone }) {
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

/** Local times carry their UTC offset, and need twice the room. */
export const MAX_TICKS = { wide: { utc: 6, local: 5 }, narrow: { utc: 4, local: 2 } } as const;

const MIN_HEIGHT = 0.12;

/**
 * The path of a histogram in a box `counts.length` wide and 1 high, with its baseline at y = 1; square-root heights
 * keep small bins visible.
 * @param maxCount the count of height 1. Default: the highest
 */
export function histogramPath(counts: Uint32Array, maxCount = highest(counts)): string {
  return bars(counts, maxCount)
    .map(({ bin, height }) => `M${bin} 1V${(1 - height).toFixed(3)}h0.8V1Z`)
    .join('');
}

const HATCH_STEP = 0.22;
const HATCH_RISE = 0.16;

/** The bars of the histogram as slanted strokes: what a filter hides. */
function hatchedPath(counts: Uint32Array, maxCount = highest(counts)): string {
  const strokes: string[] = [];
  for (const { bin, height } of bars(counts, maxCount)) {
    for (let y = 0; y < height; y += HATCH_STEP) {
      const rise = Math.min(HATCH_RISE, height - y);
      strokes.push(`M${bin} ${(1 - y).toFixed(2)}l0.8 ${(-rise).toFixed(2)}`);
    }
  }
  return strokes.join('');
}

function highest(counts: Uint32Array): number {
  return counts.reduce((max, count) => Math.max(max, count), 0);
}

function bars(counts: Uint32Array, maxCount: number): { bin: number; height: number }[] {
  return Array.from(counts, (count, bin) => ({
    bin,
    height: count === 0 ? 0 : Math.max(MIN_HEIGHT, Math.sqrt(count / maxCount)),
  })).filter(({ height }) => height > 0);
}

export function coarser(counts: Uint32Array, by: number): Uint32Array {
  const sums = new Uint32Array(Math.ceil(counts.length / by));
  for (const [bin, count] of counts.entries()) {
    const to = Math.floor(bin / by);
    sums[to] = (sums[to] as number) + count;
  }
  return sums;
}
