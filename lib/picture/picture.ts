/**
 * What is drawn at one moment, live or replayed: marks as columns, ready for the map. Index i of every column is one mark;
 * only the first `count` entries mean anything. The columns are reused from one picture to the next.
 */
export interface Picture {
  readonly capacity: number;
  count: number;
  /** The track's slot in the store that the picture was made from. */
  readonly slot: Uint32Array;
  /** Web Mercator, 0…1, in double precision: single precision trembles from zoom 14 on. */
  readonly mercatorX: Float64Array;
  readonly mercatorY: Float64Array;
  /** Degrees clockwise from north; NaN where not reported. */
  readonly headingDeg: Float32Array;
  /** Four bytes a mark: red, green, blue of its altitude, and opacity (255 fresh). */
  readonly colour: Uint8Array;
  /** Bits of mark-style.ts. */
  readonly style: Uint16Array;
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
  };
}
