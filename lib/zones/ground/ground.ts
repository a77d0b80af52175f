import type { Bbox } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';

/** The edge belongs to the shape. */
export interface Ground {
  readonly bbox: Bbox;
  contains(lon: number, lat: number): boolean;
  /** Metres to the edge, from either side. */
  edgeM(place: LonLat): number;
  /** The line is straight in longitude and latitude and takes the shorter way. */
  lineTouches(from: LonLat, to: LonLat): boolean;
}
