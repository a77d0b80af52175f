import type uPlot from 'uplot';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { lengthIn, speedIn, type UnitSystem } from '#lib/model/units.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import type { ColourToken } from './token-colours.ts';

/** Room above and below the values, as a part of what they span. */
const PADDING_PART = 0.08;
/** How much of a scale lies below 0 at most where no value does: a line at 0 should not lie on its edge. */
const BELOW_ZERO_PART = 0.04;

/**
 * What a scale shows of values from `min` to `max`. It spans at least `minSpan`, so that the last digits of a level flight
 * do not look like a climb, and hardly reaches below 0 where no value does.
 */
export function valueRange(min: number, max: number, minSpan: number): [min: number, max: number] {
  const span = Math.max(minSpan, (max - min) * (1 + 2 * PADDING_PART));
  const low = (min + max - span) / 2;
  const start = min >= 0 ? Math.max(-BELOW_ZERO_PART * span, low) : low;
  return [start, start + span];
}

export const CHART_HEIGHT_PX = 132;
/** Lines and gaps of the speed's line, CSS pixels; the altitude's is solid. */
export const SPEED_DASH: readonly number[] = [4, 3];
/** Steps of time that people count in. */
const TIME_STEPS_MS = [1, 2, 5, 10, 15, 20, 30, 60].map((minutes) => minutes * MINUTE_MS);
/** A chart of steady values spans this much: less is the noise of a report. */
const MIN_SPAN_M = 20;
const MIN_SPAN_MPS = 5;
const LABEL_PX = 10;
/** Width of a digit at that size, as a generous guess. */
const DIGIT_PX = 6.5;
/** Room for half of a time's label beyond the plot. */
const SIDE_PX = 22;
const POINT_PX = 4;
/** From where on every received observation is a point of its own: so far apart do they stand on average. */
const POINTS_APART_PX = 2 * POINT_PX;

export interface ChartView {
  /** All of it is shown, from its start to its end. */
  readonly window: Window;
  readonly units: UnitSystem;
  readonly zone: ClockZone;
}

/** Rows are those of HistoryColumns: times in milliseconds, then altitude or height, then speed. */
export function chartOptions(
  { window, units, zone }: ChartView,
  widthPx: number,
  font: string,
  colour: (token: ColourToken) => string,
): uPlot.Options {
  const labelled = { font: `${LABEL_PX}px ${font}`, stroke: () => colour('dim'), ticks: { show: false }, gap: 6 };
  const values = {
    ...labelled,
    space: 30,
    size: (_plot: uPlot, labels: string[] | null) =>
      Math.max(SIDE_PX, 10 + Math.max(1, ...(labels ?? []).map((label) => label.length)) * DIGIT_PX),
    values: (_plot: uPlot, splits: number[]) => splits.map(String),
  };
  const points: uPlot.Series.Points = {
    show: true,
    size: POINT_PX,
    filter: (plot, series) => pointRows(plot, plot.data[series] ?? [], windowLengthMs(window)),
  };
  return {
    width: widthPx,
    height: CHART_HEIGHT_PX,
    ms: 1,
    padding: [6, besideAxis, 0, besideAxis],
    legend: { show: false },
    // The page's own lines say where the replay and the pointer are.
    cursor: { show: false },
    scales: {
      x: { time: false, range: [epochMs(window.start), epochMs(window.end)] },
      vertical: { range: (_plot, min, max) => rangeOf(min, max, lengthIn(units, MIN_SPAN_M)) },
      speed: { range: (_plot, min, max) => rangeOf(min, max, speedIn(units, MIN_SPAN_MPS)) },
    },
    series: [
      {},
      {
        scale: 'vertical',
        stroke: () => colour('text'),
        width: 1.5,
        points: { ...points, fill: () => colour('text'), width: 0 },
      },
      {
        scale: 'speed',
        stroke: () => colour('focus'),
        width: 1.5,
        dash: [...SPEED_DASH],
        // A ring, larger than the other line's dot: both are seen where they lie on one another.
        points: { ...points, size: POINT_PX + 3, stroke: () => colour('focus'), fill: 'transparent', width: 1 },
      },
    ],
    axes: [
      {
        ...labelled,
        size: 18,
        space: 56,
        incrs: TIME_STEPS_MS,
        grid: { stroke: () => colour('line'), width: 1 },
        values: (_plot, splits) => splits.map((atMs) => hourText(atMs, zone)),
      },
      {
        ...values,
        scale: 'vertical',
        side: 3,
        stroke: () => colour('text'),
        grid: { stroke: () => colour('line'), width: 1 },
      },
      { ...values, scale: 'speed', side: 1, stroke: () => colour('focus'), grid: { show: false } },
    ],
  };
}

/** `11:04Z` in UTC; local times without their offset, which stands beside the chart. */
function hourText(atMs: number, zone: ClockZone): string {
  const hours = clockText(upstreamInstant(atMs), zone).slice(0, 5);
  return zone === 'utc' ? `${hours}Z` : hours;
}

/** uPlot asks with `null` where a scale has no values at all. */
function rangeOf(min: number | null, max: number | null, minSpan: number): uPlot.Range.MinMax {
  return min === null || max === null ? [null, null] : valueRange(min, max, minSpan);
}

/** An axis that has nothing to show takes no room. */
function besideAxis(_plot: uPlot, side: number, sidesWithAxes: readonly boolean[]): number {
  return sidesWithAxes[side] ? 0 : SIDE_PX;
}

/** Which rows are points: all of them where they are few, and always those through which no line is seen. */
function pointRows(plot: uPlot, values: ArrayLike<number | null | undefined>, lengthMs: number): number[] | null {
  const atMs = plot.data[0];
  const msPerPx = lengthMs / plot.over.clientWidth;
  const spanMs = (atMs[atMs.length - 1] ?? 0) - (atMs[0] ?? 0);
  if (spanMs >= atMs.length * POINTS_APART_PX * msPerPx) return null;
  return briefRows(atMs, values, POINT_PX * msPerPx);
}

/**
 * Rows with a value whose run of values spans less than `minMs`: a line through them would hardly be seen, or there is
 * none, as where a run is a single row. A run is what no `null` parts.
 */
export function briefRows(
  atMs: ArrayLike<number>,
  values: ArrayLike<number | null | undefined>,
  minMs: number,
): number[] {
  const brief: number[] = [];
  for (let first = 0; first < values.length; first++) {
    if (isBreak(values[first])) continue;
    let last = first;
    while (last + 1 < values.length && !isBreak(values[last + 1])) last++;
    if ((atMs[last] as number) - (atMs[first] as number) < minMs) {
      for (let row = first; row <= last; row++) brief.push(row);
    }
    first = last;
  }
  return brief;
}

function isBreak(value: number | null | undefined): boolean {
  return value === null || value === undefined;
}
