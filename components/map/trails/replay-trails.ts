import type { ReplaySession } from '#lib/client/replay/replay-session.ts';
import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import type { TrackSeries } from '#lib/client/replay/store/track-series.ts';
import { RECENT_TRAIL_LIMITS } from '#lib/client/trails/trail-limits.ts';
import { mercatorX, mercatorY, nearestX } from '#lib/geo/mercator.ts';
import { type Colouring, markRgb } from '#lib/model/mark-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { confidenceIndex } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';
import type { TrackColumns } from '#lib/picture/track-columns.ts';
import { TRAIL_LIMITS, trailJoin } from '#lib/picture/trail-joins.ts';
import { epochMs } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { type TrailLine, TrailLines } from './trail-lines.ts';
import { makeTrailsLayer, RECENT_TRAILS_LOOK, SELECTED_PATH_LOOK, type TrailsLayer } from './trails-layer.ts';

interface TrailsUpdate {
  readonly replay: Pick<ReplaySession, 'store' | 'cursor' | 'summary'>;
  readonly picture: Picture | undefined;
  readonly trails: 'selected' | 'all';
  readonly selectedRefs: readonly string[];
  readonly colouring: Colouring;
  readonly nowMs: number;
}

/**
 * The trails of a replay, drawn in two layers: recent trails before the cursor if all are wanted, and the whole path of
 * selected tracks, faint after the cursor. Lines are built in slices, in frames. Live trails are in live-trails.ts.
 */
export class DrawnTrails {
  readonly #recentLayer: TrailsLayer;
  readonly #pathLayer: TrailsLayer;
  #recent = new RecentTrails();
  #path = new SelectedPath();
  #hidden: ReadonlySet<number> = new Set();

  constructor(theme: BasemapTheme, onFailure: (error: Error) => void) {
    this.#recentLayer = makeTrailsLayer({ id: 'recent-trails', look: RECENT_TRAILS_LOOK, theme, onFailure });
    this.#pathLayer = makeTrailsLayer({ id: 'selected-path', look: SELECTED_PATH_LOOK, theme, onFailure });
  }

  get layers(): readonly TrailsLayer[] {
    return [this.#recentLayer, this.#pathLayer];
  }

  setTheme(theme: BasemapTheme): void {
    for (const layer of this.layers) layer.setTheme(theme);
  }

  /**
   * Called when replay, cursor, filter or selection changed.
   * @returns whether it must be called again soon
   */
  update({ replay, picture, trails, selectedRefs, colouring, nowMs }: TrailsUpdate): boolean {
    const { store, cursor, summary } = replay;
    const { layers, playback } = summary;
    const kinds = new Set<TrackKind>();
    if (layers.adsb.on) kinds.add('aircraft');
    if (layers.rid.on) kinds.add('drone');

    if (picture) this.#hidden = hiddenSlots(cursor.columns, picture, this.#hidden);
    const shown = selectedRefs.filter((ref) => {
      const track = store.trackOf(ref);
      return track !== undefined && kinds.has(store.kindOf(track)) && !this.#hidden.has(track);
    });
    const path = this.#path.update(store, shown, nowMs, colouring);
    if (path.changed) this.#pathLayer.setLines(this.#path.lines);
    let isPending = path.pending;
    if (trails === 'all') {
      const { speed } = playback;
      const tracks = { kinds, hidden: this.#hidden, colouring, speed };
      const recent = this.#recent.update(store, tracks, cursor.atMs, nowMs);
      if (recent.changed) this.#recentLayer.setLines(this.#recent.lines);
      isPending ||= recent.pending;
    }
    for (const layer of this.layers) {
      layer.setByAge(colouring === 'age');
      layer.setCursor(cursor.atMs);
    }
    return isPending;
  }

  clear(): void {
    for (const layer of this.layers) layer.setLines(undefined);
    this.#recent = new RecentTrails();
    this.#path = new SelectedPath();
    this.#hidden = new Set();
  }
}

/** @returns the slots that have a track but no mark; `before` itself if they are the same */
export function hiddenSlots(
  { used, end }: Pick<TrackColumns, 'used' | 'end'>,
  { slot: shown, count }: Pick<Picture, 'slot' | 'count'>,
  before: ReadonlySet<number>,
): ReadonlySet<number> {
  const hidden = new Set<number>();
  let isSame = true;
  for (let slot = 0, index = 0; slot < end; slot++) {
    while (index < count && (shown[index] as number) < slot) index++;
    if (used[slot] !== 1 || (index < count && shown[index] === slot)) continue;
    hidden.add(slot);
    isSame &&= before.has(slot);
  }
  return isSame && hidden.size === before.size ? before : hidden;
}

/** Lines reach this far around the cursor: playback and small steps back need no rebuild. It is a second of a faster replay. */
const AHEAD_MS = 120_000;

const BEHIND_MS = 15_000;

/** Lines are built again this early: half a second at 120× and faster. */
const EARLY_PART = 0.5;

const BUILD_EVERY_MS = 500;

const SLICE_POSITIONS = 5000;

interface TrailedTracks {
  readonly kinds: ReadonlySet<TrackKind>;
  /** The set is a new object on every change. */
  readonly hidden?: ReadonlySet<number> | undefined;
  readonly colouring?: Colouring | undefined;
  /** Of the replay; real time by default. */
  readonly speed?: number | undefined;
}

interface Span extends TrailedTracks {
  readonly store: ReplayStore;
  readonly revision: number;
  /** The span that the cursor may be in; both ends are inclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly keptMs: number;
}

/**
 * The trails of all tracks around the cursor. The previous lines stay until the next ones are complete. Each line
 * carries its time, so that nothing after the cursor shows.
 */
export class RecentTrails {
  lines = new TrailLines();
  #next = new TrailLines();
  #built: Span | undefined;
  #building: Span | undefined;
  #track = 0;
  #startedMs = Number.NEGATIVE_INFINITY;

  /** Builds one slice, if one is due. @returns whether the lines changed, and whether a slice is still to come */
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
  { kinds, hidden, colouring, speed }: TrailedTracks,
  atMs: number,
): boolean {
  if (!built || built.store !== store || built.revision !== store.revision) return false;
  if (built.hidden !== hidden || built.colouring !== colouring) return false;
  if (built.kinds.size !== kinds.size || ![...kinds].every((kind) => built.kinds.has(kind))) return false;
  if (atMs < built.fromMs) return false;
  // Shortened spans may be shorter than what is wanted.
  const earlyMs = Math.min(aheadMs(speed) * EARLY_PART, (built.toMs - built.fromMs) / 2);
  return atMs <= built.toMs - earlyMs || (atMs <= built.toMs && built.toMs >= epochMs(store.window.end));
}

function aheadMs(speed = 1): number {
  return Math.max(AHEAD_MS, speed * SECOND_MS);
}

/** The span is shorter if it would contain too many positions. */
function spanAround(store: ReplayStore, tracks: TrailedTracks, atMs: number): Span {
  for (let part = 1; ; part /= 2) {
    const span = {
      store,
      revision: store.revision,
      ...tracks,
      fromMs: atMs - BEHIND_MS * part,
      toMs: Math.min(atMs + aheadMs(tracks.speed) * part, Math.max(atMs, epochMs(store.window.end))),
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

const REBUILD_EVERY_MS = 100;

/** The paths of selected tracks over the whole window, with a dot at each received position. */
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

export interface TrackLinesOptions {
  /** Covers what was received in `(afterMs, toMs]`, epoch ms. */
  readonly afterMs: number;
  readonly toMs: number;
  /** How long a line stays, unless the track's mark is removed before. `undefined`: the whole path stays. */
  readonly keptMs?: number | undefined;
  readonly dots: boolean;
  readonly colouring?: Colouring;
}

/** Mercator positions of one track. Each track writes over the one before. */
let xs = new Float64Array(256);

let ys = new Float64Array(256);

/** Adds the lines of one track. Each has the colour and the time of the position at its end. */
export function addTrackLines(
  lines: TrailLines,
  store: ReplayStore,
  track: number,
  { afterMs, toMs, keptMs, dots, colouring = 'altitude' }: TrackLinesOptions,
): void {
  const series = store.seriesOf(track);
  const kind = store.kindOf(track);
  const startMs = epochMs(store.window.start);
  const last = series.lastAtOrBefore(toMs - startMs, series.count - 1);
  const first = series.lastAtOrBefore(afterMs - startMs, last) + 1;
  if (last < first) return;
  project(store, series, first, last);
  const valueAt = rowValue(store, kind, colouring);
  const { dottedMs } = TRAIL_LIMITS[kind];
  const add = (from: number, to: number, untilMs: number, shape: TrailLine['shape']) => {
    const [toX, toY] = [xs[to - first] as number, ys[to - first] as number];
    const value = valueAt(series.row(to));
    lines.add({
      fromX: nearestX(xs[from - first] as number, toX),
      fromY: ys[from - first] as number,
      toX,
      toY,
      fromMs: startMs + series.timeMs(to),
      untilMs,
      rgb: markRgb(colouring, kind, value, 'dark'),
      lightRgb: markRgb(colouring, kind, value, 'light'),
      shape,
    });
  };

  // The newest comes first: when a position's mark was removed depends on the positions after it.
  let goneMs = series.timeMs(last) + dottedMs;
  for (let to = last; to > first; to--) {
    const fromMs = series.timeMs(to - 1);
    const shape = trailJoin(kind, series.timeMs(to) - fromMs);
    if (shape === 'none') goneMs = fromMs + dottedMs;
    else add(to - 1, to, keptMs === undefined ? Infinity : startMs + Math.min(fromMs + keptMs, goneMs), shape);
  }
  if (!dots) return;
  for (let at = first; at <= last; at++) add(at === first ? Math.min(first + 1, last) : at - 1, at, Infinity, 'dot');
}

function project(store: ReplayStore, series: TrackSeries, first: number, last: number): void {
  const { lon, lat } = store.rows.read;
  const count = last - first + 1;
  if (xs.length < count) {
    xs = new Float64Array(count * 2);
    ys = new Float64Array(count * 2);
  }
  for (let index = 0; index < count; index++) {
    const row = series.row(first + index);
    xs[index] = mercatorX(lon(row));
    ys[index] = mercatorY(lat(row));
  }
}

/** The value that colours a position; the layer itself colours by age. */
function rowValue({ rows, labelSets }: ReplayStore, kind: TrackKind, colouring: Colouring): (row: number) => number {
  const { heightAglM, altitudeM, speedMps } = rows.read;
  switch (colouring) {
    case 'altitude':
      return kind === 'drone' ? heightAglM : altitudeM;
    case 'height':
      return heightAglM;
    case 'speed':
      return speedMps;
    case 'confidence':
      return (row) => confidenceIndex(labelSets.at(rows.labelSet(row)).style);
    case 'age':
    case 'kind':
      return () => Number.NaN;
  }
}
