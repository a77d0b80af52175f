import 'server-only';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';

/** The narrowest that a side is asked. A box without width or height is not askable. */
const LEAST_SPAN_DEG = 2 ** -6;

/** A viewport that has an area: a side without length gets the least one, towards the inside of the world. */
export function withArea(viewport: Bbox): Bbox {
  const { west, south, east, north } = viewport;
  const wide = lonSpanDeg(viewport) > 0;
  const high = latSpanDeg(viewport) > 0;
  if (wide && high) return viewport;
  return {
    west: wide || west < 180 ? west : 180 - LEAST_SPAN_DEG,
    east: wide || west === 180 ? east : Math.min(180, east + LEAST_SPAN_DEG),
    south: high || south < 90 ? south : 90 - LEAST_SPAN_DEG,
    north: high || south === 90 ? north : Math.min(90, north + LEAST_SPAN_DEG),
  };
}
