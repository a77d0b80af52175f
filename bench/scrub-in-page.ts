// Runs in the browser (module-server.ts): the replay store, its cursor and the picture, without the rest of the page.

import { addToTrail } from '#lib/client/replay/store/add-to-trail.ts';
import { ReplayCursor } from '#lib/client/replay/store/replay-cursor.ts';
import { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { drawPicture } from '#lib/picture/draw-picture.ts';
import { makePicture } from '#lib/picture/picture.ts';
import { Trail } from '#lib/picture/trail.ts';
import { epochMs, msBetween } from '#lib/time/instant.ts';
import { OBSERVED_HOUR, type ObservedHour, observedHour } from './observed-hour.ts';

const TRAIL_MS = 300_000;

export class ScrubInPage {
  readonly #store = new ReplayStore({ window: OBSERVED_HOUR });
  readonly #cursor = new ReplayCursor(this.#store);
  readonly #trail = new Trail();
  #picture = makePicture(1024);

  /** Milliseconds that each part took to come in. */
  fill(hour: ObservedHour): number[] {
    const times: number[] = [];
    for (const part of observedHour(hour)) {
      const start = performance.now();
      const { added } = this.#store.add(part);
      times.push(performance.now() - start);
      if (added !== part.count) throw new Error(`${part.count - added} observations did not come in`);
    }
    this.#picture = makePicture(Math.max(1024, 2 * hour.tracks));
    return times;
  }

  /** Marks that are drawn in the middle of the hour. */
  drawn(): number {
    this.#show(epochMs(OBSERVED_HOUR.start) + 1_800_000);
    return this.#picture.count;
  }

  /** Milliseconds of each of `count` jumps: the cursor moved and the picture drawn. */
  jumps(count: number): number[] {
    // The golden ratio's multiples visit the hour evenly and never in order.
    const { start, end } = OBSERVED_HOUR;
    return Array.from({ length: count }, (_, jump) =>
      this.#show(epochMs(start) + ((jump * 0.618_033_988_75) % 1) * msBetween(start, end)),
    );
  }

  /**
   * Plays at `speed` from the window's start, a step in each of `count` frames, each as far as a sixtieth of a second goes.
   * @returns milliseconds of each step's work, and from each frame to the next
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

  /** Milliseconds to collect what was received of every track in the five minutes before a moment, and how many positions. */
  trails(count: number): { times: number[]; positions: number } {
    const times = Array.from({ length: count }, (_, jump) => {
      const start = performance.now();
      const toMs = epochMs(OBSERVED_HOUR.start) + TRAIL_MS + ((jump * 0.618_033_988_75) % 1) * 3_000_000;
      this.#trail.clear();
      for (let track = 0; track < this.#store.trackCount; track++) {
        addToTrail(this.#trail, this.#store, track, { afterMs: toMs - TRAIL_MS, toMs });
      }
      return performance.now() - start;
    });
    return { times, positions: this.#trail.pointCount };
  }

  #show(atMs: number): number {
    const start = performance.now();
    this.#cursor.seek(atMs);
    drawPicture(this.#cursor.columns, atMs, undefined, this.#picture);
    return performance.now() - start;
  }
}
