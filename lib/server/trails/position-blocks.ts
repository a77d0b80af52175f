import 'server-only';
import { DEGREE_STEPS } from '#lib/codec/steps.ts';
import { ByteReader, ByteWriter } from '#lib/columns/bytes.ts';
import { grown, sortByTime } from '#lib/columns/typed-arrays.ts';
import { UNREPORTED } from '#lib/columns/unreported.ts';

/** A block has room for about 17 usual positions. */
const BLOCK_BYTES = 128;
/** A slab has 1 MiB. */
const SLAB_BLOCKS = 8192;
export const NO_BLOCK = -1;

/** A motion is predicted for this many times the last interval. */
const MAX_STEPS_AHEAD = 4;
/** 180° in steps, in which all places are here. */
export const HALF_TURN = 180 * DEGREE_STEPS;

/**
 * Places of tracks, packed into blocks of 128 bytes. Memory grows by slabs, and is released when all blocks are free. The
 * caller chains a track's blocks by `next`, and frees the block that was taken first. Places arrive one by one and are dropped
 * by age, so a place is a row of varints: columns could only be packed when a block is complete.
 */
export class PositionBlocks {
  /** The next block of the same track; `NO_BLOCK` for the last. */
  next = new Int32Array(0);
  /** The block that was taken next; `NO_BLOCK` for the latest. */
  #takenAfter = new Int32Array(0);
  track = new Int32Array(0);
  /** How many places the block has. */
  count = new Uint8Array(0);
  /** How many bytes of the block are in use. */
  #used = new Uint8Array(0);
  /** Epoch ms of the first and the newest place. */
  firstMs = new Float64Array(0);
  newestMs = new Float64Array(0);
  readonly #slabBlocks: number;
  readonly #maxSlabs: number;
  readonly #slabs: Uint8Array[] = [];
  readonly #differences = new PlaceDifferences();
  readonly #writer = new ByteWriter();
  readonly #reader = new ByteReader(new Uint8Array(0));
  #free = NO_BLOCK;
  #oldest = NO_BLOCK;
  #latest = NO_BLOCK;

  /** @param maxBlocks rounded up to whole slabs */
  constructor(maxBlocks: number) {
    this.#slabBlocks = Math.min(SLAB_BLOCKS, maxBlocks);
    this.#maxSlabs = Math.ceil(maxBlocks / this.#slabBlocks);
  }

  /** All memory, with that of free blocks. */
  get bytes(): number {
    const columns = [this.next, this.#takenAfter, this.track, this.#used, this.count, this.firstMs, this.newestMs];
    return [...this.#slabs, ...columns].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  get oldest(): number {
    return this.#oldest;
  }

  /** Takes a free block; `NO_BLOCK` if all are in use. */
  take(): number {
    if (this.#free === NO_BLOCK && this.#slabs.length < this.#maxSlabs) this.#addSlab();
    const block = this.#free;
    if (block === NO_BLOCK) return NO_BLOCK;
    this.#free = this.next[block] as number;
    this.next[block] = NO_BLOCK;
    this.#used[block] = 0;
    this.count[block] = 0;
    this.#takenAfter[block] = NO_BLOCK;
    if (this.#latest === NO_BLOCK) this.#oldest = block;
    else this.#takenAfter[this.#latest] = block;
    this.#latest = block;
    return block;
  }

  /** Gives a block that was taken to a track. @param after the track's last block, or `NO_BLOCK` */
  begin(block: number, track: number, firstMs: number, after: number): void {
    this.track[block] = track;
    this.firstMs[block] = firstMs;
    if (after !== NO_BLOCK) this.next[after] = block;
  }

  freeOldest(): void {
    const block = this.#oldest;
    if (block === NO_BLOCK) return;
    this.#oldest = this.#takenAfter[block] as number;
    this.next[block] = this.#free;
    this.#free = block;
    if (this.#oldest === NO_BLOCK) this.#releaseAll();
  }

  /** @returns false where the block is full */
  append(block: number, atMs: number, lon: number, lat: number, height: number): boolean {
    const differences = this.#differences;
    const writer = this.#writer;
    this.read(block, undefined);
    differences.goTo(atMs, lon, lat, height);
    writer.clear();
    writer.svarint(differences.byMs);
    writer.svarint(differences.byLon);
    writer.svarint(differences.byLat);
    writer.svarint(differences.byHeight);
    const used = this.#used[block] as number;
    if (used + writer.length > BLOCK_BYTES) return false;
    writer.copyTo(this.#slabOf(block), this.#offsetOf(block) + used);
    this.#used[block] = used + writer.length;
    this.newestMs[block] = this.count[block] === 0 ? atMs : Math.max(this.newestMs[block] as number, atMs);
    this.count[block] = (this.count[block] as number) + 1;
    return true;
  }

  /** Adds the places of a block to `places`. Leaves the differences at its last place. */
  read(block: number, places: PlaceColumns | undefined): void {
    const differences = this.#differences;
    const reader = this.#reader;
    differences.begin();
    reader.moveTo(this.#slabOf(block), this.#offsetOf(block));
    for (let left = this.count[block] as number; left > 0; left--) {
      differences.byMs = reader.svarint();
      differences.byLon = reader.svarint();
      differences.byLat = reader.svarint();
      differences.byHeight = reader.svarint();
      differences.follow();
      places?.push(differences.atMs, differences.lon, differences.lat, differences.height);
    }
  }

  #slabOf(block: number): Uint8Array {
    return this.#slabs[Math.floor(block / this.#slabBlocks)] as Uint8Array;
  }

  #offsetOf(block: number): number {
    return (block % this.#slabBlocks) * BLOCK_BYTES;
  }

  #addSlab(): void {
    const first = this.#slabs.length * this.#slabBlocks;
    this.#slabs.push(new Uint8Array(this.#slabBlocks * BLOCK_BYTES));
    const capacity = first + this.#slabBlocks;
    this.next = grown(this.next, capacity);
    this.#takenAfter = grown(this.#takenAfter, capacity);
    this.track = grown(this.track, capacity);
    this.#used = grown(this.#used, capacity);
    this.count = grown(this.count, capacity);
    this.firstMs = grown(this.firstMs, capacity);
    this.newestMs = grown(this.newestMs, capacity);
    for (let block = capacity - 1; block >= first; block--) {
      this.next[block] = this.#free;
      this.#free = block;
    }
  }

  #releaseAll(): void {
    this.#slabs.length = 0;
    this.#free = NO_BLOCK;
    this.#latest = NO_BLOCK;
    this.next = new Int32Array(0);
    this.#takenAfter = new Int32Array(0);
    this.track = new Int32Array(0);
    this.#used = new Uint8Array(0);
    this.count = new Uint8Array(0);
    this.firstMs = new Float64Array(0);
    this.newestMs = new Float64Array(0);
  }
}

/** The differences from one place to the next. Places are predicted along the line through the last two, so they are small. */
class PlaceDifferences {
  atMs = 0;
  lon = 0;
  lat = 0;
  height = UNREPORTED;
  /** The differences to the next place; a height difference of 0 means that none is reported. */
  byMs = 0;
  byLon = 0;
  byLat = 0;
  byHeight = 0;
  #stepMs = 0;
  #stepLon = 0;
  #stepLat = 0;
  /** The last height that was reported. */
  #knownHeight = 0;
  #count = 0;

  /** Begins before the first place of a block. */
  begin(): void {
    this.#count = 0;
    this.#knownHeight = 0;
    this.atMs = 0;
    this.lon = 0;
    this.lat = 0;
  }

  goTo(atMs: number, lon: number, lat: number, height: number): void {
    this.byMs = atMs - this.atMs;
    this.byLon = lon - this.#expectedLon();
    this.byLat = lat - this.#expectedLat();
    this.byHeight = 0;
    if (height !== UNREPORTED) {
      const climbed = height - this.#knownHeight;
      this.byHeight = climbed < 0 ? climbed : climbed + 1;
    }
    this.#move(atMs, lon, lat, height);
  }

  follow(): void {
    const { byHeight } = this;
    const height = byHeight === 0 ? UNREPORTED : this.#knownHeight + (byHeight < 0 ? byHeight : byHeight - 1);
    this.#move(this.atMs + this.byMs, this.#expectedLon() + this.byLon, this.#expectedLat() + this.byLat, height);
  }

  #expectedLon(): number {
    return shortWay(this.lon + this.#ahead(this.#stepLon));
  }

  #expectedLat(): number {
    return this.lat + this.#ahead(this.#stepLat);
  }

  #ahead(step: number): number {
    if (this.#count < 2 || this.#stepMs <= 0 || this.byMs < 0 || this.byMs > MAX_STEPS_AHEAD * this.#stepMs) return 0;
    return Math.round((step * this.byMs) / this.#stepMs);
  }

  #move(atMs: number, lon: number, lat: number, height: number): void {
    if (this.#count > 0) {
      this.#stepMs = atMs - this.atMs;
      this.#stepLon = shortWay(lon - this.lon);
      this.#stepLat = lat - this.lat;
    }
    this.atMs = atMs;
    this.lon = lon;
    this.lat = lat;
    this.height = height;
    if (height !== UNREPORTED) this.#knownHeight = height;
    this.#count++;
  }
}

/** The longitude, or the difference, within half a turn. */
function shortWay(lon: number): number {
  return lon > HALF_TURN ? lon - 2 * HALF_TURN : lon < -HALF_TURN ? lon + 2 * HALF_TURN : lon;
}

/** Places in columns, as they are read from blocks. They are in steps: milliseconds, 1e-6°, 0.01 m. */
export class PlaceColumns {
  count = 0;
  atMs = new Float64Array(256);
  lon = new Int32Array(256);
  lat = new Int32Array(256);
  height = new Int32Array(256);

  clear(): void {
    this.count = 0;
  }

  push(atMs: number, lon: number, lat: number, height: number): void {
    const index = this.count++;
    if (index === this.atMs.length) this.#grow();
    this.atMs[index] = atMs;
    this.lon[index] = lon;
    this.lat[index] = lat;
    this.height[index] = height;
  }

  /** Sorts by time. They nearly always are sorted. */
  sort(): void {
    const { atMs, count } = this;
    let at = 1;
    while (at < count && (atMs[at] as number) >= (atMs[at - 1] as number)) at++;
    if (at >= count) return;
    const order = Uint32Array.from({ length: count }, (_, index) => index);
    sortByTime(order, atMs);
    for (const column of [this.atMs, this.lon, this.lat, this.height]) {
      column.set(Array.from(order, (index) => column[index] as number));
    }
  }

  #grow(): void {
    this.atMs = grown(this.atMs);
    this.lon = grown(this.lon);
    this.lat = grown(this.lat);
    this.height = grown(this.height);
  }
}
