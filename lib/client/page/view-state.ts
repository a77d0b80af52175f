import type { Bbox } from '#lib/geo/bbox.ts';

/** Where the map stands. */
export interface ViewState {
  readonly lon: number;
  readonly lat: number;
  readonly zoom: number;
  readonly bearingDeg: number;
  /** What is visible; west > east crosses 180°. `undefined` before the map has drawn. */
  readonly visible: Bbox | undefined;
}
