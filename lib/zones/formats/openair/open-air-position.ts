import { parseCoordinates } from '#lib/geo/parse-coordinates.ts';
import type { Position } from '../reading/coordinates.ts';

const NUMBER = String.raw`(\d{1,3})(?::(\d{1,2}(?:\.\d{1,9})?)(?::(\d{1,2}(?:\.\d{1,9})?))?|(\.\d{1,12}))?`;
const position = new RegExp(String.raw`^${NUMBER}\s*([NS])[\s,]*${NUMBER}\s*([EW])$`, 'i');
const LONGEST = 80;

/**
 * Such as `47:27:29 N 008:32:53 E`, with decimals in the last part, or as other publications write both letters.
 * Longitudes and latitudes are not checked.
 */
export function openAirPosition(text: string): Position | undefined {
  if (text.length > LONGEST) return undefined;
  const found = position.exec(text.trim());
  if (!found) return otherwiseWritten(text);
  const [, latDeg, latMin, latSec, latPart, ns, lonDeg, lonMin, lonSec, lonPart, ew] = found;
  const lat = degrees(latDeg, latMin, latSec, latPart, ns);
  const lon = degrees(lonDeg, lonMin, lonSec, lonPart, ew);
  return lat !== undefined && lon !== undefined ? [lon, lat] : undefined;
}

/** Without letters, the order of the two is open. */
function otherwiseWritten(text: string): Position | undefined {
  const letters = text.toUpperCase().replaceAll(/[^A-Z]/g, '');
  if (!/^([NS][EW]|[EW][NS])$/.test(letters)) return undefined;
  const read = parseCoordinates(text.replaceAll(':', ' '));
  return read?.ok ? [read.place.lon, read.place.lat] : undefined;
}

/** Rounded minutes and seconds may be 60. */
function degrees(
  whole: string | undefined,
  minutes = '0',
  seconds = '0',
  part = '',
  hemisphere = '',
): number | undefined {
  if (Number(minutes) > 60 || Number(seconds) > 60 || (minutes.includes('.') && seconds !== '0')) return undefined;
  const value = Number(`${whole}${part}`) + Number(minutes) / 60 + Number(seconds) / 3600;
  return /[SW]/i.test(hemisphere) && value !== 0 ? -value : value;
}
