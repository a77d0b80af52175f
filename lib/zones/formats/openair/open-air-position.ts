import type { Position } from '../reading/coordinates.ts';

const NUMBER = String.raw`(\d{1,3})(?::(\d{1,2}(?:\.\d{1,9})?)(?::(\d{1,2}(?:\.\d{1,9})?))?|(\.\d{1,12}))?`;
const position = new RegExp(String.raw`^${NUMBER}\s*([NS])[\s,]*${NUMBER}\s*([EW])$`, 'i');

/** Such as `47:27:29 N 008:32:53 E`, with decimals in the last part. */
export function openAirPosition(text: string): Position | undefined {
  const found = text.length <= 80 ? position.exec(text.trim()) : null;
  if (!found) return undefined;
  const [, latDeg, latMin, latSec, latPart, ns, lonDeg, lonMin, lonSec, lonPart, ew] = found;
  const lat = degrees(latDeg, latMin, latSec, latPart, ns);
  const lon = degrees(lonDeg, lonMin, lonSec, lonPart, ew);
  return lat !== undefined && lon !== undefined && Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? [lon, lat] : undefined;
}

function degrees(
  whole: string | undefined,
  minutes = '0',
  seconds = '0',
  part = '',
  hemisphere = '',
): number | undefined {
  if (Number(minutes) >= 60 || Number(seconds) >= 60 || (minutes.includes('.') && seconds !== '0')) return undefined;
  const value = Number(`${whole}${part}`) + Number(minutes) / 60 + Number(seconds) / 3600;
  return /[SW]/i.test(hemisphere) && value !== 0 ? -value : value;
}
