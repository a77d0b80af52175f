import { type Area, areaProblem, corridorOf, polygonOf } from './area.ts';
import type { LonLat } from './great-circle.ts';
import { wrapLongitude } from './longitude.ts';
import { parseDecimal } from './parse-decimal.ts';

/** Six decimals are about 0.1 m. */
const DECIMALS = 6;

/** Begins each hole of a polygon. */
const HOLE = 'hole';

/**
 * `circle,LON,LAT,1200m`, `polygon,LON,LAT,…`, closed by its first corner, `polygon-1,LON,LAT,…,hole,LON,LAT,…` with the
 * number of its holes, or `corridor,LON,LAT,…,300m`, the width on each side. A cut text is none of them.
 */
export function formatArea(area: Area): string {
  switch (area.kind) {
    case 'circle':
      return `circle,${cornerText(area.centre)},${decimal(area.radiusM, 1)}m`;
    case 'polygon': {
      const { corners, holes = [] } = area;
      const kind = holes.length === 0 ? 'polygon' : `polygon-${holes.length}`;
      return [kind, ringText(corners), ...holes.flatMap((hole) => [HOLE, ringText(hole)])].join();
    }
    case 'corridor':
      return ['corridor', ...area.line.map(cornerText), `${decimal(area.halfWidthM, 1)}m`].join();
  }
}

function ringText(corners: readonly LonLat[]): string {
  const [first] = corners;
  return [...corners, ...(first ? [first] : [])].map(cornerText).join();
}

export function parseArea(text: string): Area | undefined {
  const [kind = '', ...rest] = text.split(',');
  const area = parseParts(kind, rest);
  return area && areaProblem(area) === undefined ? area : undefined;
}

function parseParts(kind: string, parts: readonly string[]): Area | undefined {
  if (kind === 'circle') return parseCircle(parts);
  if (kind === 'corridor') return parseCorridor(parts);
  const polygon = /^polygon(?:-([1-9]\d{0,2}))?$/.exec(kind);
  return polygon ? parsePolygon(parts, Number(polygon[1] ?? 0)) : undefined;
}

/** So that what is seen and what a link keeps are the same. */
export function roundedArea(area: Area): Area {
  const corner = ({ lon, lat }: LonLat) => ({ lon: rounded(wrapLongitude(rounded(lon))), lat: rounded(lat) });
  switch (area.kind) {
    case 'circle':
      return { ...area, centre: corner(area.centre), radiusM: Number(area.radiusM.toFixed(1)) };
    case 'polygon':
      return polygonOf(
        area.corners.map(corner),
        area.holes?.map((hole) => hole.map(corner)),
      );
    case 'corridor':
      return corridorOf(area.line.map(corner), Number(area.halfWidthM.toFixed(1)));
  }
}

function parseCircle([lon = '', lat = '', radius = '', ...rest]: readonly string[]): Area | undefined {
  const centre = parseCorner(lon, lat);
  const radiusM = radius.endsWith('m') ? parseDecimal(radius.slice(0, -1)) : undefined;
  if (!centre || radiusM === undefined || rest.length > 0) return undefined;
  return { kind: 'circle', centre, radiusM };
}

function parsePolygon(parts: readonly string[], holeCount: number): Area | undefined {
  const rings: LonLat[][] = [];
  for (let from = 0; from <= parts.length; ) {
    const next = parts.indexOf(HOLE, from);
    const ring = parseRing(parts.slice(from, next === -1 ? parts.length : next));
    if (!ring) return undefined;
    rings.push(ring);
    if (next === -1) break;
    from = next + 1;
  }
  const [edge, ...holes] = rings;
  return edge && holes.length === holeCount ? polygonOf(edge, holes) : undefined;
}

function parseRing(parts: readonly string[]): LonLat[] | undefined {
  const corners = parseCorners(parts);
  const last = corners?.pop();
  const [first] = corners ?? [];
  return first && first.lon === last?.lon && first.lat === last.lat ? corners : undefined;
}

function parseCorridor(parts: readonly string[]): Area | undefined {
  const width = parts.at(-1) ?? '';
  const line = parseCorners(parts.slice(0, -1));
  const halfWidthM = width.endsWith('m') ? parseDecimal(width.slice(0, -1)) : undefined;
  return line && halfWidthM !== undefined ? corridorOf(line, halfWidthM) : undefined;
}

function parseCorners(parts: readonly string[]): LonLat[] | undefined {
  if (parts.length % 2 !== 0) return undefined;
  const corners: LonLat[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const corner = parseCorner(parts[index] as string, parts[index + 1] as string);
    if (!corner) return undefined;
    corners.push(corner);
  }
  return corners;
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
