import { nextTask } from '#lib/client/browser/page-timers.ts';
import { LIVE_TRAIL_LIMITS } from '#lib/client/trails/trail-limits.ts';
import { type LoadedTrails, type TrailPlaces, TrailsClient } from '#lib/client/trails/trails-client.ts';
import { TrailsLoading, type TrailsState, type WantedTrails } from '#lib/client/trails/trails-loading.ts';
import { nearestX } from '#lib/geo/mercator.ts';
import { type Colouring, markRgb } from '#lib/model/mark-colour.ts';
import { kindOfFlags, LAYERS, type TrackKind } from '#lib/model/position.ts';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import { colouredValue } from '#lib/picture/draw-picture.ts';
import { confidenceBits } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';
import type { PicturedTracks } from '#lib/picture/pictured-tracks.ts';
import { trailJoin } from '#lib/picture/trail-joins.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { NONE, PositionRing, type TrailPosition } from './position-ring.ts';
import { TrailLines } from './trail-lines.ts';
import { makeTrailsLayer, RECENT_TRAILS_LOOK, SELECTED_PATH_LOOK, type TrailsLayer } from './trails-layer.ts';

/** Lines may end this much early, so that a map at rest is not drawn each second. */
const STEP_MS = 10_000;

const SLICE_TRACKS = 50;

interface LiveTrailsUpdate {
  readonly tracks: PicturedTracks;
  readonly picture: Picture;
  readonly trails: 'selected' | 'all';
  readonly selectedRefs: readonly string[];
  readonly colouring: Colouring;
  readonly nowMs: number;
  readonly answered: Omit<WantedTrails, 'refs'> | undefined;
}

interface DrawnLiveTrailsOptions {
  readonly theme: BasemapTheme;
  readonly onFailure: (error: Error) => void;
  readonly onState: (state: TrailsState) => void;
}

/**
 * The trails of the live picture, drawn in two layers: the recent trail of every track if all are wanted, and the path of
 * selected tracks. It follows the live picture, and loads what was received before the page was opened. Trails of a
 * replay are in replay-trails.ts.
 */
export class DrawnLiveTrails {
  readonly #all: LiveTrails;
  readonly #path: LiveTrails;
  readonly #allLayer: TrailsLayer;
  readonly #pathLayer: TrailsLayer;
  readonly #client = new TrailsClient();
  readonly #loadAll: TrailsLoading;
  readonly #loadPath: TrailsLoading;
  #tracks: PicturedTracks | undefined;
  #level: LiveTrailsUpdate['trails'] = 'selected';
  #isShown = new Uint8Array(0);
  #isClosed = false;

  constructor({ theme, onFailure, onState }: DrawnLiveTrailsOptions) {
    const { spanMs, maxPositions, maxPathPositions } = LIVE_TRAIL_LIMITS;
    this.#all = new LiveTrails({ maxPositions, spanMs, shows: 'recent' });
    this.#path = new LiveTrails({ maxPositions: maxPathPositions, spanMs, shows: 'path' });
    this.#allLayer = makeTrailsLayer({ id: 'live-trails', look: RECENT_TRAILS_LOOK, theme, onFailure });
    this.#pathLayer = makeTrailsLayer({ id: 'live-path', look: SELECTED_PATH_LOOK, theme, onFailure });
    this.#allLayer.setLines(this.#all.lines);
    this.#pathLayer.setLines(this.#path.lines);
    const loading = (level: LiveTrailsUpdate['trails']) =>
      new TrailsLoading({
        load: (query) => this.#client.load(query),
        // It cannot fail: it awaits only other tasks.
        onLoaded: (trails) => void this.#add(trails, level),
        onState: (state) => {
          if (level === this.#level) onState(state);
        },
      });
    this.#loadAll = loading('all');
    this.#loadPath = loading('selected');
  }

  get layers(): readonly TrailsLayer[] {
    return [this.#allLayer, this.#pathLayer];
  }

  get counts(): { readonly solid: number; readonly dotted: number } {
    const [all, path] = [this.#all.counts, this.#path.counts];
    return { solid: all.solid + path.solid, dotted: all.dotted + path.dotted };
  }

  setTheme(theme: BasemapTheme): void {
    for (const layer of this.layers) layer.setTheme(theme);
  }

  /** Called after every change of the live picture. */
  update({ tracks, picture, trails, selectedRefs, colouring, nowMs, answered }: LiveTrailsUpdate): void {
    this.#tracks = tracks;
    this.#level = trails;
    const isShown = this.#shownSlots(tracks, picture);
    const present = selectedRefs.filter((ref) => tracks.slotOf(ref) !== undefined);
    const selected = present.map((ref) => tracks.slotOf(ref));
    const hasMark = (slot: number) => isShown[slot] === 1;
    const follow = (own: LiveTrails, layer: TrailsLayer, wants: (slot: number) => boolean) => {
      own.setColouring(colouring);
      layer.setByAge(colouring === 'age');
      const isSame = own.follow(tracks, wants, hasMark, nowMs);
      if (!isSame) layer.setLines(own.lines);
      else if (own.takeChange()) layer.changeLines();
      layer.setCursor(Math.ceil(nowMs / STEP_MS) * STEP_MS);
    };
    follow(this.#all, this.#allLayer, () => trails === 'all');
    follow(this.#path, this.#pathLayer, (slot) => selected.includes(slot));
    this.#loadAll.follow(answered && trails === 'all' ? { ...answered, refs: undefined } : undefined);
    this.#loadPath.follow(answered && present.length > 0 ? { ...answered, refs: present } : undefined);
  }

  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }

  /** Adds loaded positions, a few tracks at a time. */
  async #add({ layers }: LoadedTrails, level: LiveTrailsUpdate['trails']): Promise<void> {
    const [own, layer] = level === 'all' ? [this.#all, this.#allLayer] : [this.#path, this.#pathLayer];
    for (const name of LAYERS) {
      const places = layers[name];
      for (let first = 0; places && first < places.refs.length; first += SLICE_TRACKS) {
        const end = Math.min(places.refs.length, first + SLICE_TRACKS);
        own.add(places, (ref) => this.#tracks?.slotOf(ref), first, end);
        if (own.takeChange()) layer.changeLines();
        await nextTask();
        if (this.#isClosed) return;
      }
    }
  }

  #shownSlots({ columns }: PicturedTracks, { slot, count }: Picture): Uint8Array {
    if (this.#isShown.length < columns.end) this.#isShown = new Uint8Array(columns.capacity);
    this.#isShown.fill(0);
    for (let index = 0; index < count; index++) this.#isShown[slot[index] as number] = 1;
    return this.#isShown;
  }
}

interface LiveTrailsOptions {
  /** How many positions all trails have; the oldest are dropped. */
  readonly maxPositions: number;
  readonly spanMs: number;
  /**
   * `recent`: only what belongs to the track's mark. `path`: also positions before a temporary removal, and a dot at
   * each.
   */
  readonly shows: 'recent' | 'path';
}

/** Times in the lines are exact for four hours. */
const REBASE_AFTER_MS = 3 * 3_600_000;

type Shape = 'none' | 'solid' | 'dotted';

const SHAPES: readonly Shape[] = ['none', 'solid', 'dotted'];

const NOT_KEPT = { speedMps: Number.NaN, label: confidenceBits('neutral') } as const;

interface LiveTrack {
  readonly ref: string;
  readonly kind: TrackKind;
  newest: number;
  newestMs: number;
  isShown: boolean;
}

/**
 * The lines of one layer. Each position has one line, from its track's previous one, at its ring index in the buffer: a
 * new position changes no other line.
 */
export class LiveTrails {
  readonly lines = new TrailLines();
  readonly #options: LiveTrailsOptions;
  readonly #linesEach: number;
  readonly #tracks: (LiveTrack | undefined)[] = [];
  #isChanged = false;
  readonly #ring: PositionRing;
  #shape = new Uint8Array();
  #colouring: Colouring = 'altitude';
  readonly #added: TrailPosition = {
    observedAtMs: 0,
    x: 0,
    y: 0,
    altitudeM: 0,
    heightAglM: 0,
    speedMps: 0,
    style: 0,
  };
  readonly #count = { none: 0, solid: 0, dotted: 0 };

  constructor(options: LiveTrailsOptions) {
    this.#options = options;
    this.#ring = new PositionRing(options.maxPositions);
    this.#linesEach = options.shows === 'path' ? 2 : 1;
  }

  /** The numbers of lines, also of those outside the view. */
  get counts(): { readonly solid: number; readonly dotted: number } {
    return this.#count;
  }

  /** Whether lines changed since the last call. */
  takeChange(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  /**
   * @param wants whether a track has a trail
   * @param isShown whether it has a mark; a trail is hidden with its mark
   * @returns false if all lines have to be uploaded again
   */
  follow(
    tracks: Pick<PicturedTracks, 'columns' | 'refAt'>,
    wants: (slot: number) => boolean,
    isShown: (slot: number) => boolean,
    nowMs: number,
  ): boolean {
    const isRebased = this.#rebase(nowMs);
    const { columns } = tracks;
    const end = Math.max(columns.end, this.#tracks.length);
    for (let slot = 0; slot < end; slot++) {
      const isUsed = slot < columns.end && columns.used[slot] === 1 && wants(slot);
      let track = this.#tracks[slot];
      if (track && (!isUsed || track.ref !== tracks.refAt(slot))) {
        this.#drop(slot, track);
        track = undefined;
      }
      if (!isUsed) continue;
      track ??= this.#begin(slot, tracks.refAt(slot), kindOfFlags(columns.style[slot] as number));
      if (track.isShown !== isShown(slot)) this.#show(track, isShown(slot));
      const atMs = columns.observedAtMs[slot] as number;
      if (atMs <= track.newestMs) continue;
      const added = this.#added;
      added.observedAtMs = atMs;
      added.x = columns.mercatorX[slot] as number;
      added.y = columns.mercatorY[slot] as number;
      added.altitudeM = columns.altitudeM[slot] as number;
      added.heightAglM = columns.heightAglM[slot] as number;
      added.speedMps = columns.speedMps[slot] as number;
      added.style = columns.style[slot] as number;
      track.newest = this.#add(added, track.newest);
      track.newestMs = atMs;
      this.#draw(track.newest, track);
    }
    return !isRebased;
  }

  /** Adds the positions of the tracks at [`first`, `end`). It skips known positions, and tracks without a mark. */
  add(places: TrailPlaces, slotOf: (ref: string) => number | undefined, first = 0, end = places.refs.length): void {
    for (let index = first; index < end; index++) {
      const slot = slotOf(places.refs[index] as string);
      const track = slot === undefined ? undefined : this.#tracks[slot];
      if (track && track.ref === places.refs[index]) this.#merge(track, places, index);
    }
  }

  /** Colours all lines again. The layer itself colours by age. */
  setColouring(colouring: Colouring): void {
    if (colouring === this.#colouring) return;
    this.#colouring = colouring;
    for (const track of this.#tracks) if (track) this.#eachOf(track, (position) => this.#draw(position, track));
  }

  clear(): void {
    for (const [slot, track] of this.#tracks.entries()) if (track) this.#drop(slot, track);
  }

  /** Renumbers the track's positions in order of time, so that its oldest are overwritten first. */
  #merge(track: LiveTrack, { starts, atMs, mercatorX, mercatorY, metres }: TrailPlaces, index: number): void {
    const places = new Map<number, TrailPosition>();
    this.#eachOf(track, (position) => {
      const known = this.#ring.read(position);
      places.set(known.observedAtMs, known);
      this.#erase(position);
    });
    const isDrone = track.kind === 'drone';
    const style = NOT_KEPT.label | (isDrone ? FLAG_DRONE : 0);
    for (let place = starts[index] as number; place < (starts[index + 1] as number); place++) {
      const timeMs = atMs[place] as number;
      if (places.has(timeMs)) continue;
      const [x, y] = [mercatorX[place] as number, mercatorY[place] as number];
      const height = metres[place] as number;
      const [altitudeM, heightAglM] = isDrone ? [Number.NaN, height] : [height, Number.NaN];
      places.set(timeMs, { observedAtMs: timeMs, x, y, altitudeM, heightAglM, speedMps: NOT_KEPT.speedMps, style });
    }
    const inTime = [...places.values()].sort((a, b) => a.observedAtMs - b.observedAtMs);
    let first = 0;
    for (let next = 1; next < inTime.length && this.#options.shows === 'recent'; next++) {
      // The track's mark was removed for a while.
      if (trailJoin(track.kind, inTime[next]!.observedAtMs - inTime[next - 1]!.observedAtMs) === 'none') first = next;
    }
    track.newest = NONE;
    for (let next = first; next < inTime.length; next++) {
      const place = inTime[next]!;
      track.newest = this.#add(place, track.newest);
      track.newestMs = place.observedAtMs;
      this.#draw(track.newest, track);
    }
  }

  #begin(slot: number, ref: string, kind: TrackKind): LiveTrack {
    const track = { ref, kind, newest: NONE, newestMs: Number.NEGATIVE_INFINITY, isShown: true };
    this.#tracks[slot] = track;
    return track;
  }

  #drop(slot: number, track: LiveTrack): void {
    this.#eachOf(track, (position) => this.#erase(position));
    this.#tracks[slot] = undefined;
  }

  #show(track: LiveTrack, isShown: boolean): void {
    track.isShown = isShown;
    this.#eachOf(track, (position) => this.#draw(position, track));
  }

  #eachOf(track: LiveTrack, visit: (position: number) => void): void {
    for (let position = track.newest; this.#ring.has(position); ) {
      const before = this.#ring.before(position);
      visit(position);
      position = before;
    }
  }

  #add(added: TrailPosition, before: number): number {
    const position = this.#ring.add(added, before);
    if (position < this.#options.maxPositions) this.#count.none++;
    if (this.#ring.indexOf(position) >= this.#shape.length) {
      const shape = new Uint8Array(this.#ring.style.length);
      shape.set(this.#shape);
      this.#shape = shape;
    }
    return position;
  }

  #draw(position: number, track: LiveTrack): void {
    const ring = this.#ring;
    const place = ring.indexOf(position);
    const shape = this.#shapeOf(position, track);
    const before = ring.before(position);
    const line = this.#linesEach * place;
    const atMs = ring.observedAtMs[place] as number;
    const [toX, toY] = [ring.x[place] as number, ring.y[place] as number];
    const value = colouredValue(this.#colouring, ring, place, atMs);
    const rgb = markRgb(this.#colouring, track.kind, value, 'dark');
    const lightRgb = markRgb(this.#colouring, track.kind, value, 'light');
    let [fromX, fromY] = [toX, toY];
    if (ring.has(before)) {
      fromX = nearestX(ring.x[ring.indexOf(before)] as number, toX);
      fromY = ring.y[ring.indexOf(before)] as number;
    }
    const untilMs = atMs + this.#options.spanMs;
    this.#note(place, shape);
    if (shape === 'none') this.lines.hide(line);
    else {
      const goneMs = this.#timeMs(before) + this.#options.spanMs;
      this.lines.set(line, { fromX, fromY, toX, toY, fromMs: atMs, untilMs: goneMs, rgb, lightRgb, shape });
    }
    if (this.#linesEach < 2) return;
    if (!track.isShown) this.lines.hide(line + 1);
    else this.lines.set(line + 1, { fromX, fromY, toX, toY, fromMs: atMs, untilMs, rgb, lightRgb, shape: 'dot' });
  }

  #shapeOf(position: number, { kind, isShown }: LiveTrack): Shape {
    const before = this.#ring.before(position);
    if (!isShown || !this.#ring.has(before)) return 'none';
    return trailJoin(kind, this.#timeMs(position) - this.#timeMs(before));
  }

  #erase(position: number): void {
    const place = this.#ring.indexOf(position);
    this.#note(place, 'none');
    for (let line = 0; line < this.#linesEach; line++) this.lines.hide(this.#linesEach * place + line);
  }

  #note(place: number, shape: Shape): void {
    this.#count[SHAPES[this.#shape[place] as number] as Shape]--;
    this.#count[shape]++;
    this.#shape[place] = SHAPES.indexOf(shape);
    this.#isChanged = true;
  }

  #timeMs(position: number): number {
    return this.#ring.observedAtMs[this.#ring.indexOf(position)] as number;
  }

  #rebase(nowMs: number): boolean {
    if (this.lines.count === 0) this.lines.clear(nowMs - this.#options.spanMs);
    if (nowMs - this.lines.baseMs <= REBASE_AFTER_MS) return false;
    this.lines.rebase(nowMs - this.#options.spanMs);
    return true;
  }
}
