import { RECENT_TRAIL_LIMITS } from '#lib/client/replay/recent-trail-limits.ts';
import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { addTrackLines } from './add-track-lines.ts';
import { TrailLines } from './trail-lines.ts';

/** Made beforehand on both sides of the cursor, so that playing and small steps back need nothing new. */
const AHEAD_MS = 120_000;
const BEHIND_MS = 15_000;
/** The next ones are begun this long before the cursor runs out of them: half a second at 120×. */
const EARLY_MS = MINUTE_MS;
const BEGUN_EVERY_MS = 500;
/** Taken in one go: a millisecond or two of a frame. */
const SLICE_POSITIONS = 5000;

interface Span {
  readonly store: ReplayStore;
  readonly revision: number;
  readonly kinds: ReadonlySet<TrackKind>;
  /** For a cursor from here until there, both inclusive, the lines are right. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly keptMs: number;
}

/**
 * The recent trails of every track around a moment, made piece by piece: the ones before stay until the next ones are whole,
 * and show nothing that lies after the cursor, since each line knows from when on it is part of the past.
 */
export class RecentTrails {
  lines = new TrailLines();
  #next = new TrailLines();
  #made: Span | undefined;
  #making: Span | undefined;
  #track = 0;
  #begunMs = Number.NEGATIVE_INFINITY;

  /** One step further; as for the selected path. */
  update(
    store: ReplayStore,
    kinds: ReadonlySet<TrackKind>,
    atMs: number,
    nowMs: number,
  ): { changed: boolean; pending: boolean } {
    if (this.#making && this.#making.store !== store) this.#making = undefined;
    if (!this.#making) {
      if (isRight(this.#made, store, kinds, atMs)) return { changed: false, pending: false };
      if (nowMs - this.#begunMs < BEGUN_EVERY_MS) return { changed: false, pending: true };
      this.#begunMs = nowMs;
      this.#making = spanAround(store, kinds, atMs);
      this.#track = 0;
      this.#next.clear(epochMs(store.window.start));
    }
    this.#takeSlice(this.#making);
    if (this.#track < store.trackCount) return { changed: false, pending: true };
    this.#made = this.#making;
    this.#making = undefined;
    [this.lines, this.#next] = [this.#next, this.lines];
    return { changed: true, pending: !isRight(this.#made, store, kinds, atMs) };
  }

  #takeSlice({ store, kinds, fromMs, toMs, keptMs }: Span): void {
    const before = this.#next.count;
    while (this.#track < store.trackCount && this.#next.count - before < SLICE_POSITIONS) {
      const track = this.#track++;
      if (!kinds.has(store.kindOf(track))) continue;
      addTrackLines(this.#next, store, track, { afterMs: fromMs - keptMs, toMs, keptMs, dots: false });
    }
  }
}

function isRight(made: Span | undefined, store: ReplayStore, kinds: ReadonlySet<TrackKind>, atMs: number): boolean {
  if (!made || made.store !== store || made.revision !== store.revision) return false;
  if (made.kinds.size !== kinds.size || ![...kinds].every((kind) => made.kinds.has(kind))) return false;
  if (atMs < made.fromMs) return false;
  // Shortened ones may end sooner than what is made early would begin.
  const earlyMs = Math.min(EARLY_MS, (made.toMs - made.fromMs) / 2);
  return atMs <= made.toMs - earlyMs || (atMs <= made.toMs && made.toMs >= epochMs(store.window.end));
}

/** Shorter where it would hold too many positions. */
function spanAround(store: ReplayStore, kinds: ReadonlySet<TrackKind>, atMs: number): Span {
  for (let part = 1; ; part /= 2) {
    const span = {
      store,
      revision: store.revision,
      kinds,
      fromMs: atMs - BEHIND_MS * part,
      toMs: Math.min(atMs + AHEAD_MS * part, Math.max(atMs, epochMs(store.window.end))),
      keptMs: RECENT_TRAIL_LIMITS.spanMs * part,
    };
    if (positionsIn(span) <= RECENT_TRAIL_LIMITS.maxPositions || part < 1 / 1024) return span;
  }
}

function positionsIn({ store, kinds, fromMs, toMs, keptMs }: Span): number {
  const afterMs = fromMs - keptMs - epochMs(store.window.start);
  let count = 0;
  for (let track = 0; track < store.trackCount; track++) {
    if (!kinds.has(store.kindOf(track))) continue;
    const series = store.seriesOf(track);
    const last = series.lastAtOrBefore(toMs - epochMs(store.window.start), series.count - 1);
    count += last - series.lastAtOrBefore(afterMs, last);
  }
  return count;
}
