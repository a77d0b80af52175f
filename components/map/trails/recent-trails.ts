import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { RECENT_TRAIL_LIMITS } from '#lib/client/trails/trail-limits.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { addTrackLines } from './add-track-lines.ts';
import { TrailLines } from './trail-lines.ts';

/** Playback and small steps back need no rebuild. */
const AHEAD_MS = 120_000;
const BEHIND_MS = 15_000;
/** Half a second at 120×. */
const EARLY_MS = MINUTE_MS;
const BUILD_EVERY_MS = 500;
const SLICE_POSITIONS = 5000;

export interface TrailedTracks {
  readonly kinds: ReadonlySet<TrackKind>;
  /** A new object on every change. */
  readonly hidden?: ReadonlySet<number> | undefined;
  readonly colouring?: Colouring | undefined;
}

interface Span extends TrailedTracks {
  readonly store: ReplayStore;
  readonly revision: number;
  /** Both inclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly keptMs: number;
}

/**
 * Built in slices; the previous lines stay until the next are complete. Each line carries its time: nothing after the
 * cursor shows.
 */
export class RecentTrails {
  lines = new TrailLines();
  #next = new TrailLines();
  #built: Span | undefined;
  #building: Span | undefined;
  #track = 0;
  #startedMs = Number.NEGATIVE_INFINITY;

  /** Builds one slice, if due; returns as `SelectedPath.update` does. */
  update(
    store: ReplayStore,
    tracks: TrailedTracks,
    atMs: number,
    nowMs: number,
  ): { changed: boolean; pending: boolean } {
    if (this.#building && this.#building.store !== store) this.#building = undefined;
    if (!this.#building) {
      if (isValid(this.#built, store, tracks, atMs)) return { changed: false, pending: false };
      if (nowMs - this.#startedMs < BUILD_EVERY_MS) return { changed: false, pending: true };
      this.#startedMs = nowMs;
      this.#building = spanAround(store, tracks, atMs);
      this.#track = 0;
      this.#next.clear(epochMs(store.window.start));
    }
    this.#buildSlice(this.#building);
    if (this.#track < store.trackCount) return { changed: false, pending: true };
    this.#built = this.#building;
    this.#building = undefined;
    [this.lines, this.#next] = [this.#next, this.lines];
    return { changed: true, pending: !isValid(this.#built, store, tracks, atMs) };
  }

  #buildSlice({ store, kinds, hidden, colouring = 'altitude', fromMs, toMs, keptMs }: Span): void {
    const before = this.#next.count;
    while (this.#track < store.trackCount && this.#next.count - before < SLICE_POSITIONS) {
      const track = this.#track++;
      if (!kinds.has(store.kindOf(track)) || hidden?.has(track)) continue;
      addTrackLines(this.#next, store, track, { afterMs: fromMs - keptMs, toMs, keptMs, dots: false, colouring });
    }
  }
}

function isValid(
  built: Span | undefined,
  store: ReplayStore,
  { kinds, hidden, colouring }: TrailedTracks,
  atMs: number,
): boolean {
  if (!built || built.store !== store || built.revision !== store.revision) return false;
  if (built.hidden !== hidden || built.colouring !== colouring) return false;
  if (built.kinds.size !== kinds.size || ![...kinds].every((kind) => built.kinds.has(kind))) return false;
  if (atMs < built.fromMs) return false;
  // Shortened spans may be shorter than twice `EARLY_MS`.
  const earlyMs = Math.min(EARLY_MS, (built.toMs - built.fromMs) / 2);
  return atMs <= built.toMs - earlyMs || (atMs <= built.toMs && built.toMs >= epochMs(store.window.end));
}

/** Shorter if it would contain too many positions. */
function spanAround(store: ReplayStore, tracks: TrailedTracks, atMs: number): Span {
  for (let part = 1; ; part /= 2) {
    const span = {
      store,
      revision: store.revision,
      ...tracks,
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
