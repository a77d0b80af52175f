import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { epochMs } from '#lib/time/instant.ts';
import { addTrackLines } from './add-track-lines.ts';
import { TrailLines } from './trail-lines.ts';

/** While a window loads, the path of the selected track grows in steps no closer than this. */
const REBUILT_EVERY_MS = 100;

/** The selected track's whole path in the window, with what lies after the cursor: which part is past is said with the time. */
export class SelectedPath {
  readonly lines = new TrailLines();
  #store: ReplayStore | undefined;
  #track: number | undefined;
  #revision = -1;
  #builtMs = Number.NEGATIVE_INFINITY;

  /**
   * Takes in what came since, if it is time.
   * @param ref `undefined` where nothing is selected, or its layer is off
   * @returns whether the lines are others now, and whether something is still to be taken in
   */
  update(store: ReplayStore, ref: string | undefined, nowMs: number): { changed: boolean; pending: boolean } {
    const track = ref === undefined ? undefined : store.trackOf(ref);
    const isOther = store !== this.#store || track !== this.#track;
    if (!isOther && (track === undefined || store.revision === this.#revision))
      return { changed: false, pending: false };
    if (!isOther && nowMs - this.#builtMs < REBUILT_EVERY_MS) return { changed: false, pending: true };
    this.#store = store;
    this.#track = track;
    this.#revision = store.revision;
    this.#builtMs = nowMs;
    const { start, end } = store.window;
    this.lines.clear(epochMs(start));
    if (track !== undefined)
      addTrackLines(this.lines, store, track, { afterMs: epochMs(start) - 1, toMs: epochMs(end), dots: true });
    return { changed: true, pending: false };
  }
}
