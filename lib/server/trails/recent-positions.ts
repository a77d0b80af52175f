import 'server-only';
import { DEGREE_STEPS, METRE_STEPS, toSteps } from '#lib/codec/steps.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { HALF_TURN, NO_BLOCK, PlaceColumns, PositionBlocks } from './position-blocks.ts';

/** Room for some 5 million positions of 50,000 tracks. */
export const RECENT_LIMITS = { keptMs: 15 * MINUTE_MS, maxBlocks: 40 * 8192, maxTracks: 50_000 };

/** The longest time of a block, so that the block taken first has about the oldest positions. */
const BLOCK_MS = 3 * MINUTE_MS;
/** Positions further ahead are dropped: their time is wrong. */
export const AHEAD_MAX_MS = MINUTE_MS;

export interface RecentTrack {
  readonly layer: Layer;
  readonly ref: string;
  /** The track's first and last block. */
  head: number;
  tail: number;
  newestMs: number;
  /** Bounds of all positions, in steps. */
  west: number;
  south: number;
  east: number;
  north: number;
}

/** The positions of the last quarter of an hour, each reference and time once. Where memory runs out, the oldest are dropped. */
export class RecentPositions {
  readonly #limits: typeof RECENT_LIMITS;
  readonly #blocks: PositionBlocks;
  readonly #slots: Readonly<Record<Layer, Map<string, number>>> = { rid: new Map(), adsb: new Map() };
  readonly #tracks: (RecentTrack | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #scratch = new PlaceColumns();
  #droppedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(limits: typeof RECENT_LIMITS = RECENT_LIMITS) {
    this.#limits = limits;
    this.#blocks = new PositionBlocks(limits.maxBlocks);
  }

  get keptMs(): number {
    return this.#limits.keptMs;
  }

  /** The memory of places, without the tracks' names. */
  get memoryBytes(): number {
    return this.#blocks.bytes;
  }

  /** Epoch ms: some positions up to then were dropped for want of memory. */
  get droppedUntilMs(): number {
    return this.#droppedUntilMs;
  }

  /** Callers read them at once, since tracks come and go. */
  tracks(layer: Layer): readonly RecentTrack[] {
    return this.#tracks.filter((track) => track?.layer === layer) as RecentTrack[];
  }

  add(layer: Layer, positions: Iterable<Position>, now: UpstreamInstant): void {
    const nowMs = epochMs(now);
    const afterMs = nowMs - this.#limits.keptMs;
    this.forget(afterMs);
    for (const position of positions) {
      const atMs = epochMs(position.observedAt);
      if (atMs > afterMs && atMs <= nowMs + AHEAD_MAX_MS) this.#addOne(layer, position, atMs);
    }
  }

  /** Drops blocks whose positions are all older. */
  forget(untilMs: number): void {
    const blocks = this.#blocks;
    while (blocks.oldest !== NO_BLOCK && (blocks.newestMs[blocks.oldest] as number) <= untilMs) this.#freeOldest();
  }

  /** Visits the blocks of a track, the oldest first. */
  eachBlock({ head }: RecentTrack, visit: (firstMs: number, newestMs: number, count: number) => void): void {
    const { next, firstMs, newestMs, count } = this.#blocks;
    for (let block = head; block !== NO_BLOCK; block = next[block] as number) {
      visit(firstMs[block] as number, newestMs[block] as number, count[block] as number);
    }
  }

  /** Reads the places of a track in order of time; some earlier ones may be among them. */
  read({ head }: RecentTrack, afterMs: number, places: PlaceColumns): void {
    places.clear();
    for (let block = head; block !== NO_BLOCK; block = this.#blocks.next[block] as number) {
      if ((this.#blocks.newestMs[block] as number) > afterMs) this.#blocks.read(block, places);
    }
    places.sort();
  }

  #addOne(layer: Layer, position: Position, atMs: number): void {
    const { ref } = position;
    const known = this.#trackOf(layer, ref);
    if (known && (known.newestMs === atMs || (atMs < known.newestMs && this.#has(known, atMs)))) return;
    const lon = toSteps(position.lon, DEGREE_STEPS);
    const lat = toSteps(position.lat, DEGREE_STEPS);
    const height = toSteps((layer === 'rid' ? position.heightAglM : position.altitudeM) ?? Number.NaN, METRE_STEPS);
    if (known && this.#append(known.tail, atMs, lon, lat, height)) {
      extend(known, atMs, lon, lat);
      return;
    }
    const block = this.#takeBlock();
    // The track is looked up only now: taking a block may have dropped it.
    const slot = this.#slots[layer].get(ref) ?? this.#newTrack(layer, ref);
    const track = this.#tracks[slot] as RecentTrack;
    this.#blocks.begin(block, slot, atMs, track.tail);
    this.#append(block, atMs, lon, lat, height);
    if (track.tail === NO_BLOCK) track.head = block;
    track.tail = block;
    extend(track, atMs, lon, lat);
  }

  /** @returns false if the block is full, or too old */
  #append(block: number, atMs: number, lon: number, lat: number, height: number): boolean {
    const isOld = atMs - (this.#blocks.firstMs[block] as number) > BLOCK_MS;
    return !isOld && this.#blocks.append(block, atMs, lon, lat, height);
  }

  #has({ head }: RecentTrack, atMs: number): boolean {
    for (let block = head; block !== NO_BLOCK; block = this.#blocks.next[block] as number) {
      if ((this.#blocks.newestMs[block] as number) < atMs) continue;
      this.#scratch.clear();
      this.#blocks.read(block, this.#scratch);
      if (this.#scratch.atMs.subarray(0, this.#scratch.count).includes(atMs)) return true;
    }
    return false;
  }

  #trackOf(layer: Layer, ref: string): RecentTrack | undefined {
    const slot = this.#slots[layer].get(ref);
    return slot === undefined ? undefined : this.#tracks[slot];
  }

  #newTrack(layer: Layer, ref: string): number {
    while (this.#tracks.length - this.#freeSlots.length >= this.#limits.maxTracks) this.#dropOldest();
    const slot = this.#freeSlots.pop() ?? this.#tracks.length;
    this.#tracks[slot] = {
      layer,
      ref,
      head: NO_BLOCK,
      tail: NO_BLOCK,
      newestMs: Number.NEGATIVE_INFINITY,
      west: HALF_TURN,
      south: HALF_TURN,
      east: -HALF_TURN,
      north: -HALF_TURN,
    };
    this.#slots[layer].set(ref, slot);
    return slot;
  }

  #takeBlock(): number {
    for (;;) {
      const block = this.#blocks.take();
      if (block !== NO_BLOCK) return block;
      this.#dropOldest();
    }
  }

  #dropOldest(): void {
    this.#droppedUntilMs = Math.max(this.#droppedUntilMs, this.#blocks.newestMs[this.#blocks.oldest] as number);
    this.#freeOldest();
  }

  #freeOldest(): void {
    const { oldest } = this.#blocks;
    const slot = this.#blocks.track[oldest] as number;
    const track = this.#tracks[slot] as RecentTrack;
    track.head = this.#blocks.next[oldest] as number;
    this.#blocks.freeOldest();
    if (track.head !== NO_BLOCK) return;
    this.#slots[track.layer].delete(track.ref);
    this.#tracks[slot] = undefined;
    this.#freeSlots.push(slot);
  }
}

function extend(track: RecentTrack, atMs: number, lon: number, lat: number): void {
  track.newestMs = Math.max(track.newestMs, atMs);
  // -180 and 180 are the same meridian.
  const isOnAntimeridian = Math.abs(lon) === HALF_TURN;
  track.west = Math.min(track.west, isOnAntimeridian ? -HALF_TURN : lon);
  track.east = Math.max(track.east, isOnAntimeridian ? HALF_TURN : lon);
  track.south = Math.min(track.south, lat);
  track.north = Math.max(track.north, lat);
}
