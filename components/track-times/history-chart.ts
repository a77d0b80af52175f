import 'uplot/dist/uPlot.min.css';
import uPlot from 'uplot';
import { type ChartView, chartOptions } from './chart-options.ts';
import { followPointer } from './follow-pointer.ts';
import type { HistoryColumns } from './history-columns.ts';
import { tokenColours, watchTheme } from './token-colours.ts';

export interface HistoryChartListener {
  /** Epoch ms; `undefined`: the pointer has left. */
  point(atMs: number | undefined): void;
  seek(atMs: number): void;
}

/** Imported only when shown. */
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
