import 'server-only';

/** About 17 usual positions. */
export const BLOCK_BYTES = 128;
/** 1 MiB. */
const SLAB_BLOCKS = 8192;
export const NO_BLOCK = -1;

/** Grows by slabs, and releases them when all blocks are free. The caller chains a track's blocks by `next`. */
export class PositionBlocks {
  /** Of the same track; `NO_BLOCK` for the last. */
  next = new Int32Array(0);
  /** `NO_BLOCK` for the latest. */
  #takenAfter = new Int32Array(0);
  track = new Int32Array(0);
  /** Bytes in use, and positions in them. */
  used = new Uint8Array(0);
  count = new Uint8Array(0);
  /** Epoch ms. */
  firstMs = new Float64Array(0);
  newestMs = new Float64Array(0);
  readonly #slabBlocks: number;
  readonly #maxSlabs: number;
  readonly #slabs: Uint8Array[] = [];
  #free = NO_BLOCK;
  #oldest = NO_BLOCK;
  #latest = NO_BLOCK;

  /** @param maxBlocks rounded up to whole slabs */
  constructor(maxBlocks: number) {
    this.#slabBlocks = Math.min(SLAB_BLOCKS, maxBlocks);
    this.#maxSlabs = Math.ceil(maxBlocks / this.#slabBlocks);
  }

  /** Includes free blocks and columns. */
  get bytes(): number {
    const columns = [this.next, this.#takenAfter, this.track, this.used, this.count, this.firstMs, this.newestMs];
    return [...this.#slabs, ...columns].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  get oldest(): number {
    return this.#oldest;
  }

  slabOf(block: number): Uint8Array {
    return this.#slabs[Math.floor(block / this.#slabBlocks)] as Uint8Array;
  }

  offsetOf(block: number): number {
    return (block % this.#slabBlocks) * BLOCK_BYTES;
  }

  /** `NO_BLOCK` if all are in use. */
  take(): number {
    if (this.#free === NO_BLOCK && this.#slabs.length < this.#maxSlabs) this.#addSlab();
    const block = this.#free;
    if (block === NO_BLOCK) return NO_BLOCK;
    this.#free = this.next[block] as number;
    this.next[block] = NO_BLOCK;
    this.used[block] = 0;
    this.count[block] = 0;
    this.#takenAfter[block] = NO_BLOCK;
    if (this.#latest === NO_BLOCK) this.#oldest = block;
    else this.#takenAfter[this.#latest] = block;
    this.#latest = block;
    return block;
  }

  freeOldest(): void {
    const block = this.#oldest;
    if (block === NO_BLOCK) return;
    this.#oldest = this.#takenAfter[block] as number;
    this.next[block] = this.#free;
    this.#free = block;
    if (this.#oldest === NO_BLOCK) this.#startAnew();
  }

  #addSlab(): void {
    const first = this.#slabs.length * this.#slabBlocks;
    this.#slabs.push(new Uint8Array(this.#slabBlocks * BLOCK_BYTES));
    const capacity = first + this.#slabBlocks;
    this.next = grown(this.next, new Int32Array(capacity));
    this.#takenAfter = grown(this.#takenAfter, new Int32Array(capacity));
    this.track = grown(this.track, new Int32Array(capacity));
    this.used = grown(this.used, new Uint8Array(capacity));
    this.count = grown(this.count, new Uint8Array(capacity));
    this.firstMs = grown(this.firstMs, new Float64Array(capacity));
    this.newestMs = grown(this.newestMs, new Float64Array(capacity));
    for (let block = capacity - 1; block >= first; block--) {
      this.next[block] = this.#free;
      this.#free = block;
    }
  }

  #startAnew(): void {
    this.#slabs.length = 0;
    this.#free = NO_BLOCK;
    this.#latest = NO_BLOCK;
    this.next = new Int32Array(0);
    this.#takenAfter = new Int32Array(0);
    this.track = new Int32Array(0);
    this.used = new Uint8Array(0);
    this.count = new Uint8Array(0);
    this.firstMs = new Float64Array(0);
    this.newestMs = new Float64Array(0);
  }
}

function grown<Column extends Int32Array | Uint8Array | Float64Array>(column: Column, bigger: Column): Column {
  bigger.set(column);
  return bigger;
}
