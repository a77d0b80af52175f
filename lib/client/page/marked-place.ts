import type { LonLat } from '#lib/geo/great-circle.ts';

export interface MarkedPlace extends LonLat {
  /** The text of the search; `undefined` if the operator pointed at the place. */
  readonly name: string | undefined;
}
