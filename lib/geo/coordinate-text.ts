import type { LonLat } from './great-circle.ts';
import { wrapLongitude } from './longitude.ts';

export const COORDINATE_NOTATIONS = ['decimal', 'dms', 'mgrs'] as const;

export type CoordinateNotation = (typeof COORDINATE_NOTATIONS)[number];

/** About a metre: `47.45806, 8.54806`. */
export function decimalText({ lon, lat }: LonLat): string {
  // Rounded first, or a longitude just below 180 would become 180.
  const rounded = wrapLongitude(Number(lon.toFixed(5)));
  return `${plain(lat)}, ${plain(rounded)}`;
}

/** About three metres: `47°27'29.0"N 8°32'53.0"E`. */
export function dmsText({ lon, lat }: LonLat): string {
  return `${dms(lat, 'N', 'S')} ${dms(wrapLongitude(lon), 'E', 'W')}`;
}

function plain(value: number): string {
  const text = value.toFixed(5);
  return text === '-0.00000' ? '0.00000' : text;
}

const TENTHS_PER_DEG = 36_000;

/** Counts tenths of a second, so that no part becomes 60. */
function dms(value: number, positive: string, negative: string): string {
  const tenths = Math.round(Math.abs(value) * TENTHS_PER_DEG);
  const degrees = Math.floor(tenths / TENTHS_PER_DEG);
  const minutes = Math.floor((tenths % TENTHS_PER_DEG) / 600);
  const seconds = ((tenths % 600) / 10).toFixed(1);
  const letter = value < 0 && tenths > 0 ? negative : positive;
  return `${degrees}°${String(minutes).padStart(2, '0')}'${seconds.padStart(4, '0')}"${letter}`;
}
