import type { LonLat } from '#lib/geo/great-circle.ts';

/** The one place that is marked on the map, because it was looked for or pointed at. */
export interface MarkedPlace extends LonLat {
  /** The text of the search; `undefined` if the operator pointed at the place. */
  readonly name: string | undefined;
}
