import { longitudeOf, SAME_PLACE_DEG, wrapLongitude } from '#lib/geo/longitude.ts';
import { shown } from './fields.ts';
import type { ImportReport } from './import-report.ts';

export type Position = [lon: number, lat: number];

/** Larger numbers are metres or feet of a projection. */
const DEGREES_MAX = 1000;

/** In degrees; `undefined` after a report. Heights are ignored. */
export function readPosition(value: unknown, place: string, report: ImportReport): Position | undefined {
  const [lon, lat] = Array.isArray(value) ? (value as unknown[]) : [];
  if (!isNumber(lon) || !isNumber(lat))
    return report.problem(place, `has a position that is no pair of numbers: ${shown(value)}`);
  const [readLon, readLat] = [longitudeOf(lon), latitudeOf(lat)];
  if (readLon === undefined || readLat === undefined)
    return report.problem(
      place,
      `has the position ${lon}, ${lat}, which is no longitude and latitude: ${whyNoPosition(lon, lat)}`,
    );
  return [readLon, readLat];
}

function latitudeOf(writtenDeg: number): number | undefined {
  const beyondDeg = Math.abs(writtenDeg) - 90;
  if (beyondDeg <= 0) return writtenDeg + 0;
  return beyondDeg <= SAME_PLACE_DEG ? Math.sign(writtenDeg) * 90 : undefined;
}

function whyNoPosition(lon: number, lat: number): string {
  if (Math.max(Math.abs(lon), Math.abs(lat)) > DEGREES_MAX)
    return 'they are no degrees; save the file in WGS 84 (EPSG:4326)';
  if (longitudeOf(lon) === undefined) return `${lon} is beyond 360°`;
  const isSwapped = latitudeOf(lon) !== undefined && longitudeOf(lat) !== undefined;
  return `${lat} is beyond 90°${isSwapped ? '; the longitude comes first' : ''}`;
}

/** Repeated positions are one. @param min different positions in a row */
export function readLine(value: unknown, min: number, place: string, report: ImportReport): Position[] | undefined {
  if (!Array.isArray(value)) return report.problem(place, 'has no list of positions');
  const line: Position[] = [];
  let before: number | undefined;
  let jump = '';
  let hasHeights = false;
  for (const [index, each] of (value as unknown[]).entries()) {
    const position = readPosition(each, `${place}, position ${index + 1}`, report);
    if (!position) return undefined;
    const [lon, , height] = each as [number, number, unknown?];
    const last = line.at(-1);
    // Programs write -180 after 180, where an edge crosses it.
    const isRepeated = last !== undefined && last[1] === position[1] && wrapLongitude(last[0] - position[0]) === 0;
    if (before !== undefined && !isRepeated && Math.abs(lon - before) > 180 && jump === '')
      jump = `${before} to ${lon}`;
    before = lon;
    hasHeights ||= isNumber(height) && height !== 0;
    if (!isRepeated) line.push(position);
  }
  if (line.length < min)
    return report.problem(place, `has ${line.length} different positions in a row, where ${min} are needed`);
  if (jump !== '')
    report.change(place, `goes from the longitude ${jump}, which is read as the shorter way around the Earth`);
  if (hasHeights) report.change(place, 'has heights in its positions, which are not read as limits of the zone');
  return line;
}

/** The edge, then holes. Closes rings. */
export function readRings(value: unknown, place: string, report: ImportReport): Position[][] | undefined {
  if (!Array.isArray(value) || value.length === 0) return report.problem(place, 'has no rings');
  const rings = (value as unknown[]).map((each, index) =>
    readRing(each, value.length > 1 ? `${place}, ring ${index + 1}` : place, report),
  );
  return rings.every((ring) => ring !== undefined) ? rings : undefined;
}

function readRing(value: unknown, place: string, report: ImportReport): Position[] | undefined {
  const line = readLine(value, 0, place, report);
  if (!line) return undefined;
  const [first, last] = [line[0] as Position, line.at(-1) as Position];
  const isClosed = line.length > 1 && isSamePlace(first, last);
  const corners = isClosed ? line.slice(0, -1) : line;
  if (corners.length > 1 && corners.every(([lon]) => Math.abs(lon) === 180))
    return report.problem(place, 'has all corners at the longitude 180: a zone is less than 180° wide, and no line');
  if (corners.length < 3) return report.problem(place, `has ${corners.length} different corners, where 3 are needed`);
  if (!isClosed) report.change(place, 'is not closed: its last position is not its first, to which an edge was added');
  return [...corners, first];
}

/** Within some 10 cm. */
function isSamePlace([lon, lat]: Position, [otherLon, otherLat]: Position): boolean {
  return Math.abs(wrapLongitude(lon - otherLon)) <= SAME_PLACE_DEG && Math.abs(lat - otherLat) <= SAME_PLACE_DEG;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
