import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import { epochMs } from '#lib/time/instant.ts';
import { addTrackLines } from './add-track-lines.ts';
import { TrailLines } from './trail-lines.ts';

/** Shortest time between two rebuilds of the path while a window loads. */
const REBUILD_EVERY_MS = 100;

/** The selected track's whole path in the window, including what lies after the cursor; each line carries its own time. */
export class SelectedPath {
  readonly lines = new TrailLines();
  #store: ReplayStore | undefined;
  #track: number | undefined;
  #revision = -1;
  #colouring: Colouring = 'altitude';
  #builtMs = Number.NEGATIVE_INFINITY;

  /**
   * Rebuilds the lines for what was loaded since the last rebuild, if that is due.
   * @param ref `undefined` if nothing is selected, or its layer is off
   * @returns whether the lines changed, and whether a rebuild is still to come
   */
  update(
    store: ReplayStore,
    ref: string | undefined,
    nowMs: number,
    colouring: Colouring = 'altitude',
  ): { changed: boolean; pending: boolean } {
    const track = ref === undefined ? undefined : store.trackOf(ref);
    const isOtherTrack = store !== this.#store || track !== this.#track || colouring !== this.#colouring;
    if (!isOtherTrack && (track === undefined || store.revision === this.#revision))
      return { changed: false, pending: false };
    if (!isOtherTrack && nowMs - this.#builtMs < REBUILD_EVERY_MS) return { changed: false, pending: true };
    this.#store = store;
    this.#track = track;
    this.#revision = store.revision;
    this.#colouring = colouring;
    this.#builtMs = nowMs;
    const { start, end } = store.window;
    this.lines.clear(epochMs(start));
    if (track !== undefined)
      addTrackLines(this.lines, store, track, {
        afterMs: epochMs(start) - 1,
        toMs: epochMs(end),
        dots: true,
        colouring,
      });
    return { changed: true, pending: false };
  }
}
