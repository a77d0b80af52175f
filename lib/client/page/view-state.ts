import type { Camera } from '#lib/api/address-state.ts';
import type { Bbox } from '#lib/geo/bbox.ts';

export interface ViewState extends Camera {
  /** West > east crosses 180°; `undefined` before the map has drawn. */
  readonly visible: Bbox | undefined;
}
