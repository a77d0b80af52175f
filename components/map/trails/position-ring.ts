export interface TrailPosition {
  observedAtMs: number;
  x: number;
  y: number;
  altitudeM: number;
  heightAglM: number;
  speedMps: number;
  /** The bits of mark-style.ts that depend only on the record. */
  style: number;
}

export const NONE = -1;

const FIRST_CAPACITY = 256;

/** The last `capacity` positions, numbered in order of addition; read columns at `indexOf` a position. */
export class PositionRing {
  observedAtMs = new Float64Array(FIRST_CAPACITY);
  x = new Float64Array(FIRST_CAPACITY);
  y = new Float64Array(FIRST_CAPACITY);
  altitudeM = new Float64Array(FIRST_CAPACITY);
  heightAglM = new Float64Array(FIRST_CAPACITY);
  speedMps = new Float64Array(FIRST_CAPACITY);
  style = new Uint16Array(FIRST_CAPACITY);
  readonly #capacity: number;
  #before = new Float64Array(FIRST_CAPACITY);
  #end = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add({ observedAtMs, x, y, altitudeM, heightAglM, speedMps, style }: TrailPosition, before: number): number {
    const position = this.#end++;
    const index = this.indexOf(position);
    if (index >= this.observedAtMs.length) this.#grow();
    this.observedAtMs[index] = observedAtMs;
    this.x[index] = x;
    this.y[index] = y;
    this.altitudeM[index] = altitudeM;
    this.heightAglM[index] = heightAglM;
    this.speedMps[index] = speedMps;
    this.style[index] = style;
    this.#before[index] = before;
    return position;
  }

  has(position: number): boolean {
    return position !== NONE && position >= this.#end - this.#capacity;
  }

  indexOf(position: number): number {
    return position % this.#capacity;
  }

  /** The previous position of the position's track, or `NONE`. */
  before(position: number): number {
    return this.#before[this.indexOf(position)] as number;
  }

  read(position: number): TrailPosition {
    const index = this.indexOf(position);
    return {
      observedAtMs: this.observedAtMs[index] as number,
      x: this.x[index] as number,
      y: this.y[index] as number,
      altitudeM: this.altitudeM[index] as number,
      heightAglM: this.heightAglM[index] as number,
      speedMps: this.speedMps[index] as number,
      style: this.style[index] as number,
    };
  }

  #grow(): void {
    const capacity = Math.min(this.#capacity, this.observedAtMs.length * 2);
    this.observedAtMs = grown(this.observedAtMs, capacity);
    this.x = grown(this.x, capacity);
    this.y = grown(this.y, capacity);
    this.altitudeM = grown(this.altitudeM, capacity);
    this.heightAglM = grown(this.heightAglM, capacity);
    this.speedMps = grown(this.speedMps, capacity);
    this.#before = grown(this.#before, capacity);
    const style = new Uint16Array(capacity);
    style.set(this.style);
    this.style = style;
  }
}

function grown(column: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const bigger = new Float64Array(capacity);
  bigger.set(column);
  return bigger;
}
