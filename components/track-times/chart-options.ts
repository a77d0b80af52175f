import type uPlot from 'uplot';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { lengthIn, speedIn, type UnitSystem } from '#lib/model/units.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { ColourToken } from './token-colours.ts';

/** Fraction of the span, above and below the values. */
const PADDING_FRACTION = 0.08;
/** Keeps a line at 0 off the edge. */
const BELOW_ZERO_FRACTION = 0.04;

/** At least `minSpan`, so that noise does not look like a climb; hardly below 0 if no value is. */
export function valueRange(min: number, max: number, minSpan: number): [min: number, max: number] {
  const span = Math.max(minSpan, (max - min) * (1 + 2 * PADDING_FRACTION));
  const low = (min + max - span) / 2;
  const start = min >= 0 ? Math.max(-BELOW_ZERO_FRACTION * span, low) : low;
  return [start, start + span];
}

const MIN_SPAN_MS = MINUTE_MS;

/** Epoch ms, from the track's first to its last observation, whatever the replay's window. */
export function timeRange(firstMs: number, lastMs: number): [number, number] {
  const missingMs = Math.max(0, MIN_SPAN_MS - (lastMs - firstMs));
  return [firstMs - missingMs / 2, lastMs + missingMs / 2];
}

export const CHART_HEIGHT_PX = 132;
/** Dashes and gaps of the speed line, CSS pixels; the altitude line is solid. */
export const SPEED_DASH: readonly number[] = [4, 3];
const TIME_STEPS_MS = [1, 2, 5, 10, 15, 20, 30, 60].map((minutes) => minutes * MINUTE_MS);
/** Smaller changes are reporting noise. */
const MIN_SPAN_M = 20;
const MIN_SPAN_MPS = 5;
const LABEL_PX = 10;
const DIGIT_PX = 6.5;
const SIDE_PX = 22;
const POINT_PX = 4;
const POINT_SPACING_PX = 2 * POINT_PX;

export interface ChartView {
  readonly units: UnitSystem;
  readonly zone: ClockZone;
}

/** Series as in HistoryColumns: time in epoch ms, altitude or height, speed. */
export function chartOptions(
  { units, zone }: ChartView,
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
    filter: (plot, series) => pointRows(plot, plot.data[series] ?? []),
  };
  return {
    width: widthPx,
    height: CHART_HEIGHT_PX,
    ms: 1,
    padding: [6, besideAxis, 0, besideAxis],
    legend: { show: false },
    // HistoryChart draws its own lines for the cursor and the pointer.
    cursor: { show: false },
    scales: {
      x: {
        time: false,
        range: (_plot, min, max) => (min === null || max === null ? [null, null] : timeRange(min, max)),
      },
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
        // Larger than the other line's dots: both are visible where they coincide.
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

function hourText(atMs: number, zone: ClockZone): string {
  const hours = clockText(upstreamInstant(atMs), zone).slice(0, 5);
  return zone === 'utc' ? `${hours}Z` : hours;
}

/** uPlot passes `null` if a scale has no values. */
function rangeOf(min: number | null, max: number | null, minSpan: number): uPlot.Range.MinMax {
  return min === null || max === null ? [null, null] : valueRange(min, max, minSpan);
}

/** Only a side without an axis. */
function besideAxis(_plot: uPlot, side: number, sidesWithAxes: readonly boolean[]): number {
  return sidesWithAxes[side] ? 0 : SIDE_PX;
}

/** All (`null`) if few, otherwise those whose line would not be visible. */
function pointRows(plot: uPlot, values: ArrayLike<number | null | undefined>): number[] | null {
  const atMs = plot.data[0];
  const { min, max } = plot.scales.x ?? {};
  const msPerPx = ((max ?? 0) - (min ?? 0)) / plot.over.clientWidth;
  const spanMs = (atMs[atMs.length - 1] ?? 0) - (atMs[0] ?? 0);
  if (spanMs >= atMs.length * POINT_SPACING_PX * msPerPx) return null;
  return briefRows(atMs, values, POINT_PX * msPerPx);
}

/** Rows whose run spans less than `minMs`, too short for a visible line; `null` separates runs. */
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
