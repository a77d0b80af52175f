import type { LonLat } from '#lib/geo/great-circle.ts';

/** The one place that is marked on the map, because it was looked for or pointed at. */
export interface MarkedPlace extends LonLat {
  /** What was looked for; `undefined` if the operator pointed at it. */
  readonly name: string | undefined;
}
