import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { lengthIn, speedIn, type UnitSystem } from '#lib/model/units.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { CHART_HEIGHT_PX, type HistoryColumns, SPEED_DASH } from './history-values.ts';

export interface ChartView {
  readonly units: UnitSystem;
  readonly zone: ClockZone;
}

interface HistoryChartListener {
  /** `atMs` is epoch milliseconds; `undefined` once the pointer has left. */
  point(atMs: number | undefined): void;
  seek(atMs: number): void;
}

/**
 * The chart of a track's history: two lines, a line at the replay's cursor, and one at the pointed observation. It is loaded
 * with uPlot once a track has a history. It reports where the pointer is, and moves no cursor itself.
 */
export class HistoryChart {
  readonly #host: HTMLElement;
  readonly #plot: uPlot;
  readonly #cursorLine: HTMLElement;
  readonly #pointLine: HTMLElement;
  readonly #stops: readonly (() => void)[];
  #cursorMs: number | undefined;
  #pointMs: number | undefined;

  constructor(host: HTMLElement, view: ChartView, listener: HistoryChartListener) {
    this.#host = host;
    const { fontFamily } = getComputedStyle(host);
    const options = chartOptions(view, host.clientWidth, fontFamily, tokenColours(host));
    this.#plot = new uPlot({ ...options, hooks: { draw: [() => this.#placeLines()] } }, [[], [], []], host);
    const { over } = this.#plot;
    over.style.touchAction = 'pan-y';
    over.style.cursor = 'ew-resize';
    this.#pointLine = verticalLine(over, 'var(--dim)', 'chart-point');
    this.#cursorLine = verticalLine(over, 'var(--warning)', 'chart-cursor');

    const timeAtMs = (xPx: number) => Math.round(this.#plot.posToVal(xPx, 'x'));
    const resizing = new ResizeObserver(() => this.#fit(host.clientWidth));
    resizing.observe(host);
    this.#stops = [
      () => resizing.disconnect(),
      watchTheme(() => this.#plot.redraw(false)),
      followPointer(over, {
        point: (xPx) => listener.point(xPx === undefined ? undefined : timeAtMs(xPx)),
        seek: (xPx) => listener.seek(timeAtMs(xPx)),
      }),
    ];
  }

  setColumns({ atMs, verticals, speeds }: HistoryColumns): void {
    this.#plot.setData([[...atMs], [...verticals], [...speeds]]);
  }

  setCursor(atMs: number): void {
    this.#cursorMs = atMs;
    this.#place(this.#cursorLine, atMs);
  }

  setPoint(atMs: number | undefined): void {
    this.#pointMs = atMs;
    this.#place(this.#pointLine, atMs);
  }

  destroy(): void {
    for (const stop of this.#stops) stop();
    this.#plot.destroy();
    this.#host.replaceChildren();
  }

  #fit(widthPx: number): void {
    if (widthPx > 0 && widthPx !== this.#plot.width) this.#plot.setSize({ width: widthPx, height: this.#plot.height });
  }

  #placeLines(): void {
    this.#place(this.#cursorLine, this.#cursorMs);
    this.#place(this.#pointLine, this.#pointMs);
  }

  #place(line: HTMLElement, atMs: number | undefined): void {
    const { min, max } = this.#plot.scales.x ?? {};
    const isInside = atMs !== undefined && atMs >= (min ?? Number.NaN) && atMs <= (max ?? Number.NaN);
    line.hidden = !isInside;
    if (isInside) line.style.transform = `translateX(${this.#plot.valToPos(atMs, 'x')}px)`;
  }
}

function verticalLine(over: HTMLElement, colour: string, name: string): HTMLElement {
  const line = document.createElement('div');
  line.dataset.testid = name;
  Object.assign(line.style, {
    position: 'absolute',
    top: '0',
    bottom: '0',
    left: '0',
    width: '1px',
    background: colour,
    pointerEvents: 'none',
  });
  over.append(line);
  return line;
}

interface PointerTarget {
  point(xPx: number | undefined): void;
  seek(xPx: number): void;
}

/** A touch that moves less may still become a scroll, CSS pixels. */
const DRAG_PX = 6;

/**
 * A mouse hovers, and presses or drags to seek; a touch taps or drags horizontally, which needs `touch-action: pan-y`.
 * @returns stops following
 */
function followPointer(element: HTMLElement, target: PointerTarget): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let pressed: { readonly pointerId: number; readonly fromPx: number; isDrag: boolean } | undefined;
  const xOf = (event: PointerEvent) => event.clientX - element.getBoundingClientRect().left;
  const seek = (xPx: number) => {
    target.point(xPx);
    target.seek(xPx);
  };

  element.addEventListener(
    'pointerdown',
    (event) => {
      if (!event.isPrimary || event.button !== 0) return;
      const isDrag = event.pointerType !== 'touch';
      element.setPointerCapture(event.pointerId);
      pressed = { pointerId: event.pointerId, fromPx: xOf(event), isDrag };
      if (isDrag) seek(pressed.fromPx);
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      const xPx = xOf(event);
      if (pressed?.pointerId !== event.pointerId) {
        if (event.pointerType !== 'touch') target.point(xPx);
        return;
      }
      if (Math.abs(xPx - pressed.fromPx) >= DRAG_PX) pressed.isDrag = true;
      if (pressed.isDrag) seek(xPx);
    },
    { signal },
  );
  element.addEventListener(
    'pointerup',
    (event) => {
      if (pressed?.pointerId !== event.pointerId) return;
      if (!pressed.isDrag) seek(xOf(event));
      pressed = undefined;
    },
    { signal },
  );
  element.addEventListener(
    'pointercancel',
    () => {
      pressed = undefined;
    },
    { signal },
  );
  element.addEventListener(
    'pointerleave',
    (event) => {
      // A touch leaves with every tap: its point stays.
      if (event.pointerType !== 'touch') target.point(undefined);
    },
    { signal },
  );
  return () => ending.abort();
}

type ColourToken = 'text' | 'dim' | 'line' | 'focus';

/**
 * Only an element resolves `light-dark(…)` tokens: a hidden one in `host` is read at each call, to follow the theme.
 */
function tokenColours(host: HTMLElement): (token: ColourToken) => string {
  const probe = document.createElement('span');
  probe.hidden = true;
  host.append(probe);
  return (token) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
}

/** @returns stops watching */
function watchTheme(changed: () => void): () => void {
  const system = window.matchMedia('(prefers-color-scheme: light)');
  const choice = new MutationObserver(changed);
  choice.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  system.addEventListener('change', changed);
  return () => {
    choice.disconnect();
    system.removeEventListener('change', changed);
  };
}

const TIME_STEPS_MS = [1, 2, 5, 10, 15, 20, 30, 60].map((minutes) => minutes * MINUTE_MS);
/** Smaller changes are reporting noise. */
const MIN_SPAN_M = 20;
const MIN_SPAN_MPS = 5;
const LABEL_PX = 10;
const DIGIT_PX = 6.5;
const SIDE_PX = 22;
const POINT_PX = 4;
const POINT_SPACING_PX = 2 * POINT_PX;

/** Series as in HistoryColumns: time in epoch ms, altitude or height, speed. */
function chartOptions(
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
        // These dots are larger than those of the other line, so that both are visible where they coincide.
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

/** The padding of a side: the axis gives it where there is one. */
function besideAxis(_plot: uPlot, side: number, sidesWithAxes: readonly boolean[]): number {
  return sidesWithAxes[side] ? 0 : SIDE_PX;
}

/** The rows that get a point: all (`null`) if they are few, otherwise those whose line would not be visible. */
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

/** The room above and below the values, as a fraction of their span. */
const PADDING_FRACTION = 0.08;
/** Keeps a line at 0 off the edge. */
const BELOW_ZERO_FRACTION = 0.04;

/**
 * The range spans at least `minSpan`, so that noise does not look like a climb, and goes hardly below 0 if no value
 * does.
 */
export function valueRange(min: number, max: number, minSpan: number): [min: number, max: number] {
  const span = Math.max(minSpan, (max - min) * (1 + 2 * PADDING_FRACTION));
  const low = (min + max - span) / 2;
  const start = min >= 0 ? Math.max(-BELOW_ZERO_FRACTION * span, low) : low;
  return [start, start + span];
}

const MIN_SPAN_MS = MINUTE_MS;

/** The range in epoch ms, from the track's first to its last observation, whatever the replay's window. */
export function timeRange(firstMs: number, lastMs: number): [number, number] {
  const missingMs = Math.max(0, MIN_SPAN_MS - (lastMs - firstMs));
  return [firstMs - missingMs / 2, lastMs + missingMs / 2];
}
