import { FLAG_SIMULATED } from '#lib/model/record-fields.ts';

/** Only the first `count` entries are valid. The next picture reuses the columns. */
export interface Picture {
  readonly capacity: number;
  count: number;
  /** The slots of the marks, ascending. */
  readonly slot: Uint32Array;
  /** Web Mercator from 0 to 1. In single precision, marks would jitter from zoom 14 on. */
  readonly mercatorX: Float64Array;
  readonly mercatorY: Float64Array;
  /** Clockwise from north; NaN if not reported. */
  readonly headingDeg: Float32Array;
  /** Four bytes per mark: red, green, blue, and opacity (255 is fresh). */
  readonly colour: Uint8Array;
  readonly style: Uint16Array;
  /** Indexes of emergencies in the picture, ascending. */
  readonly emergencies: number[];
}

export function makePicture(capacity: number): Picture {
  return {
    capacity,
    count: 0,
    slot: new Uint32Array(capacity),
    mercatorX: new Float64Array(capacity),
    mercatorY: new Float64Array(capacity),
    headingDeg: new Float32Array(capacity),
    colour: new Uint8Array(capacity * 4),
    style: new Uint16Array(capacity),
    emergencies: [],
  };
}

export function indexOfSlot({ slot, count }: Pick<Picture, 'slot' | 'count'>, wanted: number): number | undefined {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slot[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low < count && slot[low] === wanted ? low : undefined;
}

export function allSimulated({ count, style }: Pick<Picture, 'count' | 'style'>): boolean {
  for (let index = 0; index < count; index++) {
    if (((style[index] as number) & FLAG_SIMULATED) === 0) return false;
  }
  return count > 0;
}
