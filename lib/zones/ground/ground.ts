import type { Bbox } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';

/** The edge belongs to the shape. */
export interface Ground {
  readonly bbox: Bbox;
  /** Some place inside is at least so far from the edge. */
  readonly depthM: number;
  contains(lon: number, lat: number): boolean;
  /** From either side. */
  edgeM(place: LonLat): number;
  /** Straight in longitude and latitude, by the shorter way. */
  lineTouches(from: LonLat, to: LonLat): boolean;
}
