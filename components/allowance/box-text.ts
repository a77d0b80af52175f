import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';

const MOST_DECIMALS = 4;

/** A box as a place: `46.0–48.0 N, 6.0–10.5 E`. Latitudes first, as everywhere on screen. */
export function boxText(bbox: Bbox): string {
  const lats = rangeText(bbox.south, bbox.north, latSpanDeg(bbox), 'S', 'N');
  if (lonSpanDeg(bbox) === 360) return `${lats}, all longitudes`;
  return `${lats}, ${rangeText(bbox.west, bbox.east, lonSpanDeg(bbox), 'W', 'E')}`;
}

/** Two degrees on the same side are told from the smaller to the larger, with the side once. */
function rangeText(from: number, to: number, spanDeg: number, negative: string, positive: string): string {
  const decimals = decimalsFor(spanDeg);
  const written = (deg: number) => Math.abs(deg).toFixed(decimals);
  if (from >= 0 && to >= from) return `${written(from)}–${written(to)} ${positive}`;
  if (to <= 0 && to >= from) return `${written(to)}–${written(from)} ${negative}`;
  const side = (deg: number) => (deg < 0 ? negative : positive);
  return `${written(from)} ${side(from)}–${written(to)} ${side(to)}`;
}

/** Enough that both ends of the range read differently: one for whole degrees, more for less. */
function decimalsFor(spanDeg: number): number {
  if (spanDeg === 0) return MOST_DECIMALS;
  return Math.min(Math.max(1, 1 - Math.floor(Math.log10(spanDeg))), MOST_DECIMALS);
}
