// Runs in the browser (see module-server.ts): the replay store, its cursor and the picture, without the rest of the
// page.

import { addTrackLines } from '#components/map/trails/add-track-lines.ts';
import { TrailLines } from '#components/map/trails/trail-lines.ts';
import { ReplayCursor } from '#lib/client/replay/store/replay-cursor.ts';
import { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { drawPicture } from '#lib/picture/draw-picture.ts';
import { makePicture } from '#lib/picture/picture.ts';
import { epochMs, msBetween } from '#lib/time/instant.ts';
import { OBSERVED_HOUR, type ObservedHour, observedHour } from './observed-hour.ts';

const TRAIL_MS = 300_000;

export class ScrubInPage {
  readonly #store = new ReplayStore({ window: OBSERVED_HOUR });
  readonly #cursor = new ReplayCursor(this.#store);
  readonly #lines = new TrailLines();
  #picture = makePicture(1024);

  /** Adds the observations. @returns milliseconds for each part */
  fill(hour: ObservedHour): number[] {
    const times: number[] = [];
    for (const part of observedHour(hour)) {
      const start = performance.now();
      const { added } = this.#store.add(part);
      times.push(performance.now() - start);
      if (added !== part.count) throw new Error(`${part.count - added} observations were not added`);
    }
    this.#picture = makePicture(Math.max(1024, 2 * hour.tracks));
    return times;
  }

  /** Number of marks drawn in the middle of the hour. */
  drawn(): number {
    this.#show(epochMs(OBSERVED_HOUR.start) + 1_800_000);
    return this.#picture.count;
  }

  /** Makes `count` jumps: moves the cursor and draws the picture. @returns milliseconds for each */
  jumps(count: number): number[] {
    // Multiples of the golden ratio cover the hour evenly and never in order.
    const { start, end } = OBSERVED_HOUR;
    return Array.from({ length: count }, (_, jump) =>
      this.#show(epochMs(start) + ((jump * 0.618_033_988_75) % 1) * msBetween(start, end)),
    );
  }

  /**
   * Plays at `speed` from the window's start, one step of 1/60 s of playing time in each of `count` frames.
   * @returns milliseconds of work per step, and from each frame to the next
   */
  play(speed: number, count: number): Promise<{ steps: number[]; frames: number[] }> {
    const [steps, frames]: [number[], number[]] = [[], []];
    return new Promise((resolve) => {
      let beforeMs = Number.NaN;
      const step = (nowMs: number) => {
        if (!Number.isNaN(beforeMs)) frames.push(nowMs - beforeMs);
        beforeMs = nowMs;
        if (steps.length === count) return resolve({ steps, frames });
        steps.push(this.#show(epochMs(OBSERVED_HOUR.start) + (steps.length * speed * 1000) / 60));
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    });
  }

  /**
   * Builds the trails of all tracks over five minutes, `count` times. @returns milliseconds for each, and lines of
   * the last
   */
  trails(count: number): { times: number[]; lines: number } {
    const times = Array.from({ length: count }, (_, jump) => {
      const start = performance.now();
      const toMs = epochMs(OBSERVED_HOUR.start) + TRAIL_MS + ((jump * 0.618_033_988_75) % 1) * 3_000_000;
      this.#lines.clear(toMs);
      for (let track = 0; track < this.#store.trackCount; track++) {
        addTrackLines(this.#lines, this.#store, track, { afterMs: toMs - TRAIL_MS, toMs, dots: false });
      }
      return performance.now() - start;
    });
    return { times, lines: this.#lines.count };
  }

  #show(atMs: number): number {
    const start = performance.now();
    this.#cursor.seek(atMs);
    drawPicture(this.#cursor.columns, atMs, [], this.#picture);
    return performance.now() - start;
  }
}
