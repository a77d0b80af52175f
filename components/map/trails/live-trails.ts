import type { TrailPlaces } from '#lib/client/trails/trails-protocol.ts';
import { altitudeRgb } from '#lib/model/altitude-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { kindOfFlags } from '#lib/model/position-at.ts';
import type { PicturedTracks } from '#lib/picture/pictured-tracks.ts';
import { TRAIL_LIMITS } from '#lib/picture/trail.ts';
import { TrailLines } from './trail-lines.ts';

export interface LiveTrailsOptions {
  /** Positions in all trails together; if there are more, the oldest are dropped. */
  readonly maxPositions: number;
  /** How long a position stays in its trail. */
  readonly spanMs: number;
  /**
   * `recent`: of a track only what belongs to its mark, as in the recent trails of a replay. `path`: also what was received before the
   * mark was removed for a while, and a dot at each position.
   */
  readonly shows: 'recent' | 'path';
}

/** No position. */
const NONE = -1;
/** Times in the lines are exact for four hours. */
const REBASE_AFTER_MS = 3 * 3_600_000;

type Shape = 'none' | 'solid' | 'dotted';
const SHAPES: readonly Shape[] = ['none', 'solid', 'dotted'];

interface Place {
  readonly atMs: number;
  readonly x: number;
  readonly y: number;
  readonly metres: number;
}

interface LiveTrack {
  readonly ref: string;
  readonly kind: TrackKind;
  /** Its newest position; `NONE` without any. */
  newest: number;
  newestMs: number;
  isShown: boolean;
}

/**
 * The trails of the live tracks, drawn change by change. Positions are numbered in the order in which they came; those before the last
 * `maxPositions` were overwritten. Each has its own line, from the position of its track before it, and its own place in the buffer.
 */
export class LiveTrails {
  readonly lines = new TrailLines();
  readonly #options: LiveTrailsOptions;
  readonly #linesEach: number;
  /** By slot of the store. */
  readonly #tracks: (LiveTrack | undefined)[] = [];
  #end = 0;
  #isChanged = false;
  /** By place in the ring, which is the number of the position modulo `maxPositions`. */
  #atMs = new Float64Array(256);
  #x = new Float64Array(256);
  #y = new Float64Array(256);
  #metres = new Float64Array(256);
  /** Number of the track's position before it. */
  #before = new Float64Array(256);
  #shape = new Uint8Array(256);
  readonly #count = { none: 0, solid: 0, dotted: 0 };

  constructor(options: LiveTrailsOptions) {
    this.#options = options;
    this.#linesEach = options.shows === 'path' ? 2 : 1;
  }

  /** Lines that are drawn, or lie outside the view. */
  get counts(): { readonly solid: number; readonly dotted: number } {
    return this.#count;
  }

  /** Whether lines changed since this was last asked. */
  takeChange(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  /**
   * Adds the new positions of the tracks, and drops the trails of those that are gone.
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
      const metres = (track.kind === 'drone' ? columns.heightAglM : columns.altitudeM)[slot] as number;
      const x = columns.mercatorX[slot] as number;
      track.newest = this.#add(atMs, x, columns.mercatorY[slot] as number, metres, track.newest);
      track.newestMs = atMs;
      this.#draw(track.newest, track);
    }
    return !isRebased;
  }

  /**
   * Adds what was received of the tracks at [`first`, `end`) of the answer; what is known already stays as it is, and tracks without a mark
   * are left out.
   */
  add(places: TrailPlaces, slotOf: (ref: string) => number | undefined, first = 0, end = places.refs.length): void {
    for (let index = first; index < end; index++) {
      const slot = slotOf(places.refs[index] as string);
      const track = slot === undefined ? undefined : this.#tracks[slot];
      if (track && track.ref === places.refs[index]) this.#merge(track, places, index);
    }
  }

  clear(): void {
    for (const [slot, track] of this.#tracks.entries()) if (track) this.#drop(slot, track);
  }

  /**
   * Adds the places of one track that it does not have. All of them are numbered anew in order of time, so that its oldest positions are the
   * first to be overwritten.
   */
  #merge(track: LiveTrack, { starts, atMs, mercatorX, mercatorY, metres }: TrailPlaces, index: number): void {
    const known: Place[] = [];
    this.#eachOf(track, (position) => {
      const at = this.#placeOf(position);
      known.push({
        atMs: this.#atMs[at] as number,
        x: this.#x[at] as number,
        y: this.#y[at] as number,
        metres: this.#metres[at] as number,
      });
      this.#erase(position);
    });
    const places = new Map(known.map((place) => [place.atMs, place]));
    for (let place = starts[index] as number; place < (starts[index + 1] as number); place++) {
      const timeMs = atMs[place] as number;
      if (places.has(timeMs)) continue;
      const [x, y] = [mercatorX[place] as number, mercatorY[place] as number];
      places.set(timeMs, { atMs: timeMs, x, y, metres: metres[place] as number });
    }
    const inTime = [...places.values()].sort((a, b) => a.atMs - b.atMs);
    const { dottedMs } = TRAIL_LIMITS[track.kind];
    let first = 0;
    for (let next = 1; next < inTime.length && this.#options.shows === 'recent'; next++) {
      // The track's mark was removed for a while.
      if ((inTime[next] as Place).atMs - (inTime[next - 1] as Place).atMs > dottedMs) first = next;
    }
    track.newest = NONE;
    for (let next = first; next < inTime.length; next++) {
      const { atMs: timeMs, x, y, metres: height } = inTime[next] as Place;
      track.newest = this.#add(timeMs, x, y, height, track.newest);
      track.newestMs = timeMs;
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
    for (let position = track.newest; this.#has(position); ) {
      const before = this.#before[this.#placeOf(position)] as number;
      visit(position);
      position = before;
    }
  }

  #has(position: number): boolean {
    return position !== NONE && position >= this.#end - this.#options.maxPositions;
  }

  #placeOf(position: number): number {
    return position % this.#options.maxPositions;
  }

  #time(position: number): number {
    return this.#atMs[this.#placeOf(position)] as number;
  }

  /** @returns the number of the position */
  #add(atMs: number, x: number, y: number, metres: number, before: number): number {
    const position = this.#end++;
    const place = this.#placeOf(position);
    if (place >= this.#atMs.length) this.#grow();
    if (position < this.#options.maxPositions) this.#count.none++;
    this.#atMs[place] = atMs;
    this.#x[place] = x;
    this.#y[place] = y;
    this.#metres[place] = metres;
    this.#before[place] = before;
    return position;
  }

  /** Writes the line of a position, and its dot. */
  #draw(position: number, track: LiveTrack): void {
    const place = this.#placeOf(position);
    const shape = this.#shapeOf(position, track);
    const before = this.#before[place] as number;
    const line = this.#linesEach * place;
    const atMs = this.#atMs[place] as number;
    const [toX, toY] = [this.#x[place] as number, this.#y[place] as number];
    const rgb = altitudeRgb(track.kind, this.#metres[place] as number);
    let [fromX, fromY] = [toX, toY];
    if (this.#has(before)) {
      fromX = this.#x[this.#placeOf(before)] as number;
      // The short way across 180°.
      fromX += Math.round(toX - fromX);
      fromY = this.#y[this.#placeOf(before)] as number;
    }
    const untilMs = atMs + this.#options.spanMs;
    this.#note(place, shape);
    if (shape === 'none') this.#hide(line);
    else {
      const goneMs = this.#time(before) + this.#options.spanMs;
      this.lines.set(line, { fromX, fromY, toX, toY, fromMs: atMs, untilMs: goneMs, rgb, shape });
    }
    if (this.#linesEach < 2) return;
    if (!track.isShown) this.#hide(line + 1);
    else this.lines.set(line + 1, { fromX, fromY, toX, toY, fromMs: atMs, untilMs, rgb, shape: 'dot' });
  }

  #shapeOf(position: number, { kind, isShown }: LiveTrack): Shape {
    const before = this.#before[this.#placeOf(position)] as number;
    if (!isShown || !this.#has(before)) return 'none';
    const gapMs = this.#time(position) - this.#time(before);
    const { solidMs, dottedMs } = TRAIL_LIMITS[kind];
    return gapMs <= solidMs ? 'solid' : gapMs <= dottedMs ? 'dotted' : 'none';
  }

  #erase(position: number): void {
    const place = this.#placeOf(position);
    this.#note(place, 'none');
    for (let line = 0; line < this.#linesEach; line++) this.#hide(this.#linesEach * place + line);
  }

  #hide(line: number): void {
    this.lines.hide(line);
  }

  #note(place: number, shape: Shape): void {
    this.#count[SHAPES[this.#shape[place] as number] as Shape]--;
    this.#count[shape]++;
    this.#shape[place] = SHAPES.indexOf(shape);
    this.#isChanged = true;
  }

  /** @returns whether the base changed */
  #rebase(nowMs: number): boolean {
    if (this.lines.count === 0) this.lines.clear(nowMs - this.#options.spanMs);
    if (nowMs - this.lines.baseMs <= REBASE_AFTER_MS) return false;
    this.lines.rebase(nowMs - this.#options.spanMs);
    return true;
  }

  #grow(): void {
    const capacity = Math.min(this.#options.maxPositions, this.#atMs.length * 2);
    this.#atMs = grown(this.#atMs, capacity);
    this.#x = grown(this.#x, capacity);
    this.#y = grown(this.#y, capacity);
    this.#metres = grown(this.#metres, capacity);
    this.#before = grown(this.#before, capacity);
    const shape = new Uint8Array(capacity);
    shape.set(this.#shape);
    this.#shape = shape;
  }
}

function grown(column: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const bigger = new Float64Array(capacity);
  bigger.set(column);
  return bigger;
}
