import type { Layer } from '#lib/model/position.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';

/** How many observations there are in each span of a window, by layer. */
export class TimeHistogram {
  readonly window: Window;
  readonly binMs: number;
  /** Bin i counts `[start + i × binMs, start + (i + 1) × binMs)`; the last may be cut by the window's end. */
  readonly counts: Readonly<Record<Layer, Uint32Array>>;

  constructor(window: Window, binMs: number) {
    const bins = Math.ceil(windowLengthMs(window) / binMs);
    this.window = window;
    this.binMs = binMs;
    this.counts = { rid: new Uint32Array(bins), adsb: new Uint32Array(bins) };
  }

  /** @param timeMs since the window's start, inside of it */
  add(layer: Layer, timeMs: number): void {
    const counts = this.counts[layer];
    const bin = Math.floor(timeMs / this.binMs);
    counts[bin] = (counts[bin] as number) + 1;
  }
}
