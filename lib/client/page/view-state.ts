import type { Bbox } from '#lib/geo/bbox.ts';

/** The map's camera and visible area. */
export interface ViewState {
  readonly lon: number;
  readonly lat: number;
  readonly zoom: number;
  readonly bearingDeg: number;
  /** The visible area; west > east crosses 180°. `undefined` before the map has drawn. */
  readonly visible: Bbox | undefined;
}
