import type { Bbox } from '#lib/geo/bbox.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';

/** A shape prepared for exact tests. Its edge belongs to it. */
export interface Ground {
  /** The smallest box around it. */
  readonly bbox: Bbox;
  contains(lon: number, lat: number): boolean;
  /** From a place inside or outside to the nearest place of the edge, in metres. */
  edgeM(place: LonLat): number;
  /** Whether the line touches the shape. It is straight in longitude and latitude and takes the shorter way around the Earth. */
  lineTouches(from: LonLat, to: LonLat): boolean;
}
