import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';

/** Wider views get everything. */
const SPAN_MAX_DEG = 45;
const POLE_DEG = 90;

/** Around the view, and the same for views nearby; `undefined`: everything. */
export function snappedBox(view: Bbox): Bbox | undefined {
  const [width, height] = [lonSpanDeg(view), latSpanDeg(view)];
  const span = Math.max(width, height);
  if (span > SPAN_MAX_DEG) return undefined;
  const side = 2 ** Math.ceil(Math.log2(span)) / 2;
  const down = (deg: number) => Math.floor(deg / side) * side;
  const up = (deg: number) => Math.ceil(deg / side) * side;
  return {
    west: wrapLongitude(down(view.west)),
    south: Math.max(-POLE_DEG, down(view.south)),
    east: wrapLongitude(up(view.west + width)),
    north: Math.min(POLE_DEG, up(view.north)),
  };
}
