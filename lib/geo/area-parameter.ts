import { type Area, areaProblem, polygonOf } from './area.ts';
import type { LonLat } from './great-circle.ts';
import { wrapLongitude } from './longitude.ts';
import { parseDecimal } from './parse-decimal.ts';

/** Six decimals are about 0.1 m. */
const DECIMALS = 6;

/** `circle,LON,LAT,1200m`, or `polygon,LON,LAT,…`, closed by its first corner, so that a cut text is neither. */
export function formatArea(area: Area): string {
  if (area.kind === 'circle') return `circle,${cornerText(area.centre)},${decimal(area.radiusM, 1)}m`;
  const [first] = area.corners;
  return ['polygon', ...[...area.corners, ...(first ? [first] : [])].map(cornerText)].join(',');
}

export function parseArea(text: string): Area | undefined {
  const [kind, ...rest] = text.split(',');
  const area = kind === 'circle' ? parseCircle(rest) : kind === 'polygon' ? parsePolygon(rest) : undefined;
  return area && areaProblem(area) === undefined ? area : undefined;
}

/** So that what is seen and what a link keeps are the same. */
export function roundedArea(area: Area): Area {
  const corner = ({ lon, lat }: LonLat) => ({ lon: rounded(wrapLongitude(rounded(lon))), lat: rounded(lat) });
  return area.kind === 'circle'
    ? { ...area, centre: corner(area.centre), radiusM: Number(area.radiusM.toFixed(1)) }
    : polygonOf(area.corners.map(corner));
}

function parseCircle([lon = '', lat = '', radius = '', ...rest]: readonly string[]): Area | undefined {
  const centre = parseCorner(lon, lat);
  const radiusM = radius.endsWith('m') ? parseDecimal(radius.slice(0, -1)) : undefined;
  if (!centre || radiusM === undefined || rest.length > 0) return undefined;
  return { kind: 'circle', centre, radiusM };
}

function parsePolygon(parts: readonly string[]): Area | undefined {
  if (parts.length % 2 !== 0) return undefined;
  const corners: LonLat[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const corner = parseCorner(parts[index] as string, parts[index + 1] as string);
    if (!corner) return undefined;
    corners.push(corner);
  }
  const last = corners.pop();
  const [first] = corners;
  const isClosed = first?.lon === last?.lon && first?.lat === last?.lat;
  return isClosed ? polygonOf(corners) : undefined;
}

function parseCorner(lonText: string, latText: string): LonLat | undefined {
  const [lon, lat] = [parseDecimal(lonText), parseDecimal(latText)];
  if (lon === undefined || lat === undefined || Math.abs(lon) > 180 || Math.abs(lat) > 90) return undefined;
  return { lon, lat };
}

function cornerText({ lon, lat }: LonLat): string {
  return `${decimal(wrapLongitude(lon), DECIMALS)},${decimal(lat, DECIMALS)}`;
}

function decimal(value: number, decimals: number): string {
  const text = value.toFixed(decimals).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}

function rounded(deg: number): number {
  return Number(deg.toFixed(DECIMALS)) + 0;
}
