import type { TrailPlaces } from '#lib/client/trails/trails-protocol.ts';
import { type Colouring, markRgb } from '#lib/model/mark-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { kindOfFlags } from '#lib/model/position-at.ts';
import { FLAG_DRONE } from '#lib/model/record-fields.ts';
import { colouredValue } from '#lib/picture/coloured-value.ts';
import { confidenceBits } from '#lib/picture/mark-style.ts';
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

/** A received position: where, when, and what its line may be coloured by. */
interface Place {
  atMs: number;
  x: number;
  y: number;
  altitudeM: number;
  heightAglM: number;
  speedMps: number;
  /** The bits of mark-style.ts that depend only on the record. */
  style: number;
}

/** Of the positions that the server kept, it kept neither speed nor label. */
const NOT_KEPT = { speedMps: Number.NaN, label: confidenceBits('neutral') } as const;

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
  #altitudeM = new Float64Array(256);
  #heightAglM = new Float64Array(256);
  #speedMps = new Float64Array(256);
  #style = new Uint16Array(256);
  /** Number of the track's position before it. */
  #before = new Float64Array(256);
  #shape = new Uint8Array(256);
  #values = this.#valueColumns();
  #colouring: Colouring = 'altitude';
  /** Reused for each position that is added. */
  readonly #added: Place = { atMs: 0, x: 0, y: 0, altitudeM: 0, heightAglM: 0, speedMps: 0, style: 0 };
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
      const added = this.#added;
      added.atMs = atMs;
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

  /** Draws all lines in other colours; by age, the layer colours them itself. */
  setColouring(colouring: Colouring): void {
    if (colouring === this.#colouring) return;
    this.#colouring = colouring;
    for (const track of this.#tracks) if (track) this.#eachOf(track, (position) => this.#draw(position, track));
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
        altitudeM: this.#altitudeM[at] as number,
        heightAglM: this.#heightAglM[at] as number,
        speedMps: this.#speedMps[at] as number,
        style: this.#style[at] as number,
      });
      this.#erase(position);
    });
    const isDrone = track.kind === 'drone';
    const style = NOT_KEPT.label | (isDrone ? FLAG_DRONE : 0);
    const places = new Map(known.map((place) => [place.atMs, place]));
    for (let place = starts[index] as number; place < (starts[index + 1] as number); place++) {
      const timeMs = atMs[place] as number;
      if (places.has(timeMs)) continue;
      const [x, y] = [mercatorX[place] as number, mercatorY[place] as number];
      const height = metres[place] as number;
      const [altitudeM, heightAglM] = isDrone ? [Number.NaN, height] : [height, Number.NaN];
      places.set(timeMs, { atMs: timeMs, x, y, altitudeM, heightAglM, speedMps: NOT_KEPT.speedMps, style });
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
      const place = inTime[next] as Place;
      track.newest = this.#add(place, track.newest);
      track.newestMs = place.atMs;
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
  #add({ atMs, x, y, altitudeM, heightAglM, speedMps, style }: Place, before: number): number {
    const position = this.#end++;
    const place = this.#placeOf(position);
    if (place >= this.#atMs.length) this.#grow();
    if (position < this.#options.maxPositions) this.#count.none++;
    this.#atMs[place] = atMs;
    this.#x[place] = x;
    this.#y[place] = y;
    this.#altitudeM[place] = altitudeM;
    this.#heightAglM[place] = heightAglM;
    this.#speedMps[place] = speedMps;
    this.#style[place] = style;
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
    const rgb = markRgb(this.#colouring, track.kind, colouredValue(this.#colouring, this.#values, place, atMs));
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

  #valueColumns() {
    return {
      altitudeM: this.#altitudeM,
      heightAglM: this.#heightAglM,
      speedMps: this.#speedMps,
      observedAtMs: this.#atMs,
      style: this.#style,
    };
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
    this.#altitudeM = grown(this.#altitudeM, capacity);
    this.#heightAglM = grown(this.#heightAglM, capacity);
    this.#speedMps = grown(this.#speedMps, capacity);
    this.#before = grown(this.#before, capacity);
    const shape = new Uint8Array(capacity);
    shape.set(this.#shape);
    this.#shape = shape;
    const style = new Uint16Array(capacity);
    style.set(this.#style);
    this.#style = style;
    this.#values = this.#valueColumns();
  }
}

function grown(column: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const bigger = new Float64Array(capacity);
  bigger.set(column);
  return bigger;
}
