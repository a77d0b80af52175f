import { longitudeOf, SAME_PLACE_DEG, shorterWayDeg } from '#lib/geo/longitude.ts';
import { HEIGHT_LIMITS_M, type HeightField } from '../height-field.ts';
import type { Vertical } from '../zone.ts';
import type { ImportReport } from './import-report.ts';

/** The values that files of all formats state: fields, words, positions and heights. Each problem goes to the report. */

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Writes a value as JSON, in a sentence about it. */
export function shown(value: unknown): string {
  return JSON.stringify(value ?? null).slice(0, 60);
}

/** Texts and numbers as text. Empty for objects, whose `toString` is untrusted. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** In UTF-16 units: the API takes zones of 64 KiB, a third of it for corners. */
const WORD_MAX_LENGTH = 2000;
const WORDS_MAX_LENGTH = 5000;
export const FEW_WORDS = 1500;
const KEY_MAX_LENGTH = 100;

/** Marks words that the import adds to those of the file. */
const NOTE = 'lookout: ';

export function note(about: string, text: string): Record<string, string> {
  return { [`${NOTE}${about}`]: text };
}

/** Drops control characters but tabs and line breaks. */
export function plainWords(text: string): string {
  return text.toWellFormed().replaceAll(/[^\P{Cc}\t\n]+/gu, ' ');
}

/** Joins languages, keeps nested values as JSON, omits empty ones. */
export function wordsOf(
  fields: Readonly<Record<string, unknown>>,
  prefix = '',
  maxLength = WORDS_MAX_LENGTH,
): Record<string, string> {
  const words: [string, string][] = [];
  let room = maxLength;
  let cut = 0;
  for (const [key, value] of Object.entries(fields)) {
    const word = plainWords(wordOf(value)).trim();
    if (word === '') continue;
    if (room <= 0) {
      cut += 1;
      continue;
    }
    const most = Math.min(WORD_MAX_LENGTH, room);
    room -= Math.min(word.length, most) + keyOf(key).length;
    const kept =
      word.length > most ? `${word.slice(0, most).toWellFormed()}… (${word.length} characters in the file)` : word;
    words.push([`${prefix}${keyOf(key)}`, kept]);
  }
  if (cut > 0) words.push([`${prefix}${NOTE}left out`, `${cut} more fields`]);
  return Object.fromEntries(words);
}

function keyOf(key: string): string {
  const plain = plainWords(key).slice(0, KEY_MAX_LENGTH).toWellFormed();
  return plain === '__proto__' ? '_proto_' : plain;
}

function wordOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value)) return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
  const texts = value.map(textIn);
  return texts.every((text) => text !== undefined) ? texts.join(' | ') : JSON.stringify(value);
}

function textIn(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return String(item);
  if (Array.isArray(item)) return undefined;
  const { text, lang, ...rest } = item as Record<string, unknown>;
  if (typeof text !== 'string' || Object.keys(rest).length > 0) return undefined;
  return typeof lang === 'string' ? `${lang}: ${text}` : text;
}

/** The English text, or else the first. */
export function shownText(value: unknown): string {
  if (!Array.isArray(value)) return textOf(value).trim();
  const texts = value.flatMap((item: unknown) => {
    const { text, lang } = fieldsOf(item);
    return textOf(text).trim() === '' ? [] : [{ text: textOf(text).trim(), lang: textOf(lang) }];
  });
  return (texts.find(({ lang }) => /^en\b/i.test(lang)) ?? texts[0])?.text ?? '';
}

export type LonLatPair = [lon: number, lat: number];

/** Larger numbers are metres or feet of a projection. */
const DEGREES_MAX = 1000;

/** In degrees; `undefined` after a report. A third number, the height, is ignored. */
export function readPosition(value: unknown, place: string, report: ImportReport): LonLatPair | undefined {
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
export function readLine(value: unknown, min: number, place: string, report: ImportReport): LonLatPair[] | undefined {
  if (!Array.isArray(value)) return report.problem(place, 'has no list of positions');
  const line: LonLatPair[] = [];
  let before: number | undefined;
  let jump = '';
  let hasHeights = false;
  for (const [index, each] of (value as unknown[]).entries()) {
    const position = readPosition(each, `${place}, position ${index + 1}`, report);
    if (!position) return undefined;
    const [lon, , height] = each as [number, number, unknown?];
    const last = line.at(-1);
    // Programs write -180 after 180, where an edge crosses it.
    const isRepeated = last !== undefined && last[1] === position[1] && shorterWayDeg(position[0], last[0]) === 0;
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

/** @returns the edge, then holes, as closed rings */
export function readRings(value: unknown, place: string, report: ImportReport): LonLatPair[][] | undefined {
  if (!Array.isArray(value) || value.length === 0) return report.problem(place, 'has no rings');
  const rings = (value as unknown[]).map((each, index) =>
    readRing(each, value.length > 1 ? `${place}, ring ${index + 1}` : place, report),
  );
  return rings.every((ring) => ring !== undefined) ? rings : undefined;
}

function readRing(value: unknown, place: string, report: ImportReport): LonLatPair[] | undefined {
  const line = readLine(value, 0, place, report);
  if (!line) return undefined;
  const [first, last] = [line[0] as LonLatPair, line.at(-1) as LonLatPair];
  const isClosed = line.length > 1 && isSamePlace(first, last);
  const corners = isClosed ? line.slice(0, -1) : line;
  if (corners.length > 1 && corners.every(([lon]) => Math.abs(lon) === 180))
    return report.problem(place, 'has all corners at the longitude 180: a zone is less than 180° wide, and no line');
  if (corners.length < 3) return report.problem(place, `has ${corners.length} different corners, where 3 are needed`);
  if (!isClosed) report.change(place, 'is not closed: its last position is not its first, to which an edge was added');
  return [...corners, first];
}

/** Corners within some 10 cm of each other are the same place. */
function isSamePlace([lon, lat]: LonLatPair, [otherLon, otherLat]: LonLatPair): boolean {
  return Math.abs(shorterWayDeg(otherLon, lon)) <= SAME_PLACE_DEG && Math.abs(lat - otherLat) <= SAME_PLACE_DEG;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** null: the file states none. `none`: unlimited. `ground`: the ground, or 0 above it. */
export type Limit = null | 'none' | 'ground' | { readonly field: HeightField; readonly m: number };

export const FOOT_M = 0.3048;

/** Rounds to a millimetre, so that 400 ft is 121.92. */
export function statedMetres(value: number, unit: 'm' | 'ft'): number {
  return unit === 'm' ? value : Math.round(value * FOOT_M * 1000) / 1000;
}

/** @returns null after a report */
export function heightLimit(field: HeightField, m: number, place: string, report: ImportReport): Limit {
  if (Number.isFinite(m) && m >= HEIGHT_LIMITS_M.min && m <= HEIGHT_LIMITS_M.max) return { field, m };
  report.problem(place, `is ${m} m, which is beyond the heights that a zone can have`);
  return null;
}

export interface ReadVertical {
  readonly vertical: Vertical;
  readonly words: Readonly<Record<string, string>>;
}

/** A floor on the ground excludes nothing, so it needs no field of its own. */
export function readVertical(floor: Limit, ceiling: Limit, place: string, report: ImportReport): ReadVertical {
  if (ceiling === 'ground') ceiling = { field: 'height_agl_m', m: 0 };
  if (floor === 'ground') {
    if (ceiling === 'none') return verticalOf(null, null);
    floor = isHeight(ceiling) && ceiling.field === 'altitude_m' ? null : { field: 'height_agl_m', m: 0 };
  }
  if (isHeight(floor) && isHeight(ceiling)) {
    if (floor.field !== ceiling.field) return oneLimit(floor, ceiling, place, report);
    if (floor.m > ceiling.m) report.problem(place, `has a floor of ${floor.m} m above its ceiling of ${ceiling.m} m`);
  }
  return verticalOf(floor, ceiling);
}

function oneLimit(floor: Limit & object, ceiling: Limit & object, place: string, report: ImportReport): ReadVertical {
  const kept = report.ask('heights', place);
  if (kept === 'floor')
    return {
      ...verticalOf(floor, null),
      words: note('ceiling', `${ceiling.m} m in ${ceiling.field}, left out: the floor is in ${floor.field}`),
    };
  return {
    ...verticalOf(null, ceiling),
    words: note('floor', `${floor.m} m in ${floor.field}, left out: the ceiling is in ${ceiling.field}`),
  };
}

function verticalOf(floor: Limit, ceiling: Limit): ReadVertical {
  const [low, high] = [floor, ceiling].map((limit) => (isHeight(limit) ? limit : null));
  const field = low?.field ?? high?.field;
  const vertical = field
    ? { field, floor_m: low?.m ?? null, ceiling_m: high?.m ?? null, unknown: 'flagged' as const }
    : null;
  return { vertical, words: {} };
}

function isHeight(limit: Limit): limit is Limit & object {
  return typeof limit === 'object' && limit !== null;
}
