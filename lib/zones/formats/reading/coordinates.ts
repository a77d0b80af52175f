import type { ImportReport } from './import-report.ts';

export type Position = [lon: number, lat: number];

/** In degrees; `undefined` after a report. Heights are ignored. */
export function readPosition(value: unknown, place: string, report: ImportReport): Position | undefined {
  if (!Array.isArray(value)) return report.problem(place, 'has a position that is no pair of numbers');
  const [lon, lat] = value as unknown[];
  if (!isNumber(lon) || !isNumber(lat)) return report.problem(place, 'has a position that is no pair of numbers');
  if (Math.abs(lon) > 180 || Math.abs(lat) > 90)
    return report.problem(
      place,
      `has the position ${lon}, ${lat}, which is no longitude and latitude in degrees; save the file in WGS 84 (EPSG:4326)`,
    );
  // 0 instead of -0, which JSON does not have.
  return [lon + 0, lat + 0];
}

/** @param min different positions */
export function readLine(value: unknown, min: number, place: string, report: ImportReport): Position[] | undefined {
  if (!Array.isArray(value)) return report.problem(place, 'has no list of positions');
  const line: Position[] = [];
  for (const [index, each] of value.entries()) {
    const position = readPosition(each, `${place}, position ${index + 1}`, report);
    if (!position) return undefined;
    const last = line.at(-1);
    if (last?.[0] !== position[0] || last[1] !== position[1]) line.push(position);
  }
  return line.length < min
    ? report.problem(place, `has ${line.length} different positions in a row, where ${min} are needed`)
    : line;
}

/** Closed: the edge, then holes. */
export function readRings(value: unknown, place: string, report: ImportReport): Position[][] | undefined {
  if (!Array.isArray(value) || value.length === 0) return report.problem(place, 'has no rings');
  const rings: Position[][] = [];
  for (const [index, each] of value.entries()) {
    const where = value.length > 1 ? `${place}, ring ${index + 1}` : place;
    const ring = readLine(each, 4, where, report);
    if (!ring) continue;
    const [first, last] = [ring[0] as Position, ring.at(-1) as Position];
    if (first[0] === last[0] && first[1] === last[1]) rings.push(ring);
    else report.problem(where, 'is not closed: its last position is not its first');
  }
  return rings.length === value.length ? rings : undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
