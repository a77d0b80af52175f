import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { PastObservations } from '../sources/observation.ts';
import { askedBox, touches } from './box-in-steps.ts';
import { type LayerPeriod, PERIOD_MS, periodKey, periodStart } from './period.ts';
import { type AskedPeriod, earliestObservations, earliestTimes, OpenPeriod } from './read-past.ts';
import type { SealedSegments } from './sealed-segments.ts';
import { STEPS_PER_DEG } from './stored-observation.ts';

/** All that can be read: sealed segments, and the open periods of which the log has every row. */
export class PastContents {
  readonly segments: SealedSegments;
  readonly #open = new Map<string, OpenPeriod>();

  constructor(segments: SealedSegments) {
    this.segments = segments;
  }

  get open(): readonly OpenPeriod[] {
    return [...this.#open.values()];
  }

  openPeriod(period: LayerPeriod): OpenPeriod {
    const key = periodKey(period);
    let open = this.#open.get(key);
    if (!open) {
      open = new OpenPeriod(period);
      this.#open.set(key, open);
    }
    return open;
  }

  opened(period: LayerPeriod): OpenPeriod | undefined {
    return this.#open.get(periodKey(period));
  }

  close(period: LayerPeriod): void {
    this.#open.delete(periodKey(period));
  }

  get oldestStart(): UpstreamInstant | undefined {
    for (const { start, isLeft } of this.segments.all()) if (!isLeft) return start;
    return undefined;
  }

  get newestStart(): UpstreamInstant | undefined {
    let newest = this.segments.newestStart;
    for (const { period, firstAt } of this.#open.values()) {
      if (firstAt !== undefined && (newest === undefined || period.start > newest)) newest = period.start;
    }
    return newest;
  }

  history(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<PastObservations> {
    return this.#reading(layer, bbox, window, (periods) => earliestObservations(periods, maxCount));
  }

  historyTimes(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<UpstreamInstant[]> {
    return this.#reading(layer, bbox, window, (periods) => earliestTimes(periods, maxCount));
  }

  oldestAt(): UpstreamInstant | undefined {
    let oldest = this.segments.oldestAt;
    for (const { firstAt } of this.#open.values()) {
      if (firstAt !== undefined && (oldest === undefined || firstAt < oldest)) oldest = firstAt;
    }
    return oldest;
  }

  async #reading<Result>(
    layer: Layer,
    bbox: Bbox,
    window: Window,
    read: (periods: readonly AskedPeriod[]) => Promise<Result>,
  ): Promise<Result> {
    const box = askedBox(bbox, STEPS_PER_DEG[layer]);
    const periods: AskedPeriod[] = [];
    const ends: (() => Promise<void>)[] = [];
    for (let start = periodStart(window.start); start < window.end; start = addMs(start, PERIOD_MS)) {
      const asked = { box, fromMs: msBetween(start, window.start), untilMs: msBetween(start, window.end) };
      const entry = this.segments.get({ layer, start });
      const open = this.opened({ layer, start });
      if (entry) {
        if (entry.firstMs >= asked.untilMs || entry.lastMs < asked.fromMs || !touches(box, entry.box)) continue;
        const reading = this.segments.reading(entry);
        periods.push({ start, period: reading.period, asked });
        ends.push(reading.close);
      } else if (open) periods.push({ start, period: open, asked });
    }
    try {
      return await read(periods);
    } finally {
      await Promise.all(ends.map((end) => end()));
    }
  }
}
