import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import { epochMs } from '#lib/time/instant.ts';
import { addTrackLines } from './add-track-lines.ts';
import { TrailLines } from './trail-lines.ts';

const REBUILD_EVERY_MS = 100;

export class SelectedPath {
  readonly lines = new TrailLines();
  #store: ReplayStore | undefined;
  #tracks = '';
  #revision = -1;
  #colouring: Colouring = 'altitude';
  #builtMs = Number.NEGATIVE_INFINITY;

  /**
   * @param refs without those whose layer is off
   * @returns whether the lines changed, and whether a rebuild is still to come
   */
  update(
    store: ReplayStore,
    refs: readonly string[],
    nowMs: number,
    colouring: Colouring = 'altitude',
  ): { changed: boolean; pending: boolean } {
    const tracks = refs.map((ref) => store.trackOf(ref)).filter((track) => track !== undefined);
    const isOther = store !== this.#store || tracks.join() !== this.#tracks || colouring !== this.#colouring;
    if (!isOther && (tracks.length === 0 || store.revision === this.#revision))
      return { changed: false, pending: false };
    if (!isOther && nowMs - this.#builtMs < REBUILD_EVERY_MS) return { changed: false, pending: true };
    this.#store = store;
    this.#tracks = tracks.join();
    this.#revision = store.revision;
    this.#colouring = colouring;
    this.#builtMs = nowMs;
    const { start, end } = store.window;
    this.lines.clear(epochMs(start));
    for (const track of tracks)
      addTrackLines(this.lines, store, track, {
        afterMs: epochMs(start) - 1,
        toMs: epochMs(end),
        dots: true,
        colouring,
      });
    return { changed: true, pending: false };
  }
}
