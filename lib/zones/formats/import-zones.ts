import { type Bbox, bboxesOverlap } from '#lib/geo/bbox.ts';
import { SHORT_NAME_MAX_LENGTH, UNPRINTABLE_IN_NAMES } from '#lib/text/plain-line.ts';
import { boxAround, shapeBox } from '../shape-box.ts';
import { shapeProblem } from '../shape-problem.ts';
import type { ZoneFormatName, ZoneSource } from '../zone.ts';
import { hoursProblem } from '../zone-hours.ts';
import { ZONE_CORNERS_MAX, ZONES_MAX } from '../zone-limits.ts';
import { ED_269, ED_318 } from './ed.ts';
import { decoded, RECORD_SEPARATOR, readJson, readJsonRecords } from './file-text.ts';
import { cornerCount, joinedParts, SIMPLIFIED_MAX, simplified } from './fit-shapes.ts';
import { GEOJSON } from './geojson.ts';
import {
  type ExportedZone,
  type FileContents,
  type FormatOf,
  type ImportAnswers,
  type ImportedZone,
  ImportReport,
  type JsonFile,
  type ReadFeature,
  type Reading,
  type ReadZone,
  type ZoneFormat,
  type ZoneFormats,
  type ZoneImport,
} from './import-report.ts';
import { KML } from './kml.ts';
import { OPEN_AIR } from './open-air.ts';
import { FEW_WORDS, fieldsOf, note, plainWords } from './read-values.ts';

/** The first that takes a file reads it. */
const FORMATS: Readonly<Record<ZoneFormatName, ZoneFormat>> = {
  geojson: GEOJSON,
  kml: KML,
  'ed-269': ED_269,
  'ed-318': ED_318,
  openair: OPEN_AIR,
};

/** Switzerland's file has 18 MB. */
export const IMPORT_MAX_BYTES = 20_000_000;
/** Hostile files can't exhaust memory. */
const READ_MAX = 50_000;
const FILE_NAME_MAX_LENGTH = 200;

export interface ImportOptions {
  readonly file: Pick<Reading, 'parseXml'> & { readonly bytes: Uint8Array };
  readonly name: string;
  /** RFC 3339. */
  readonly importedAt: string;
  readonly answers?: ImportAnswers;
  /** Problems of features outside it don't count. */
  readonly withinBbox?: Bbox;
  /** All formats by default. */
  readonly formats?: ZoneFormats;
}

/**
 * Reads the zones of a file in any format. It gives drafts only if all of the file, or of the box, was read as it is
 * meant: otherwise all problems with their places, or questions to the operator. It stores nothing, and never throws.
 */
export function importZones(options: ImportOptions): ZoneImport {
  const { file, name, importedAt, answers = {}, withinBbox, formats = FORMATS } = options;
  const report = new ImportReport(answers);
  const wrongZone = answers.time_zone === undefined ? undefined : timeZoneProblem(answers.time_zone);
  if (wrongZone !== undefined) report.problem('The answer', wrongZone);
  if (file.bytes.length > IMPORT_MAX_BYTES)
    report.problem(
      'The file',
      `has ${Math.ceil(file.bytes.length / 1e5) / 10} MB; at most ${IMPORT_MAX_BYTES / 1e6} MB are read`,
    );
  if (report.problemCount > 0) return failed(report);

  const opened = openFile(file.bytes, formats, { importedAt, parseXml: file.parseXml, report });
  const fileProblems = report.problemCount;
  const read: { place: string; part: string; zone: ReadZone }[] = [];
  for (const { place, zones: parts, report: own } of opened?.features ?? []) {
    const zones = joinedParts(parts, place, own);
    if (withinBbox && isOutside(zones, withinBbox)) continue;
    report.add(own);
    const changed = changedWords(own);
    for (const [index, zone] of zones.entries()) {
      const part = zones.length > 1 ? `, part ${index + 1} of ${zones.length}` : '';
      read.push({ place: `${place}${part}`, part, zone: { ...zone, words: { ...zone.words, ...changed } } });
    }
    if (read.length + report.problemCount + report.leftOut.length + report.changed.length <= READ_MAX) continue;
    report.problem('The file', `has more than ${READ_MAX} zones or problems; Lookout reads no further`);
    return failed(report);
  }

  const known = read.flatMap(({ zone }) => (zone.shape ? [zone.shape] : []));
  if (fileProblems === 0 && read.length > ZONES_MAX && known.length > 0)
    return { kind: 'too_many', count: read.length, bounds: boxAround(known.map((shape) => shapeBox(shape, 0))) };
  const checked = read.map(({ place, part, zone }) => {
    const small = withFewCorners(zone, place, report);
    const { shape, hours } = small;
    if (shape && cornerCount(shape) <= ZONE_CORNERS_MAX)
      for (const problem of [shapeProblem(shape), hoursProblem(hours)]) if (problem) report.problem(place, problem);
    return { ...small, part };
  });
  if (read.length === 0 && report.problemCount === 0) {
    report.problem('The file', withinBbox ? 'has no zones that touch the box' : 'has no zones');
    for (const each of report.leftOut) report.problem('Left out', each);
  }
  if (report.problemCount > 0 || !opened) return failed(report);
  const questions = report.questions();
  if (questions.length > 0) return { kind: 'questions', questions };
  const source = {
    format: opened.name as ZoneFormatName,
    file: [...name].slice(0, FILE_NAME_MAX_LENGTH).join(''),
    imported_at: importedAt,
  };
  return { kind: 'zones', drafts: draftsOf(checked, source), leftOut: report.leftOut, changed: report.changed };
}

/** The text of a file of zones. @throws RangeError for a format that has no writer */
export function exportZones(name: string, zones: readonly ExportedZone[], formats: ZoneFormats = FORMATS): string {
  const text = formats[name]?.write?.(zones);
  if (text === undefined) throw new RangeError(`Lookout writes no files of ${name}`);
  return text;
}

function timeZoneProblem(time_zone: string): string | undefined {
  return hoursProblem({ time_zone, from: '2000-01-01T00:00', to: '2000-01-02T00:00' });
}

function failed({ problems, problemCount }: ImportReport): ZoneImport {
  return { kind: 'problems', problems, total: problemCount };
}

interface OpenedFile {
  readonly name: string;
  readonly features: Iterable<ReadFeature>;
}

/** Beginnings of zip and gzip, as Windows-1252. */
const ARCHIVES = ['PK', '\u001F\u2039'];

/** `undefined` after a report. */
function openFile(bytes: Uint8Array, formats: ZoneFormats, reading: Reading): OpenedFile | undefined {
  const { report } = reading;
  const { text: whole, problem, isMisdeclared } = decoded(bytes);
  const text = whole.trimStart();
  if (ARCHIVES.some((start) => text.startsWith(start)))
    return report.problem('The file', 'is a KMZ or another archive; unpack it, and choose the file in it');
  if (!/^[<{[]/.test(text)) {
    const opened = openedBy(formats, 'lines', whole, reading);
    if (opened && problem) report.change('The file', 'is not in UTF-8, and is read in Windows-1252; check the names');
    if (opened) return opened;
    const titles = Object.values(formats).map(({ title }) => title);
    if (!text.startsWith(RECORD_SEPARATOR))
      return report.problem('The file', `is none of ${titles.slice(0, -1).join(', ')} and ${titles.at(-1)}`);
  }
  if (/^<!doctype\s+html|^<html/i.test(text))
    return report.problem('The file', 'is a web page, such as a sign-in or an error, and no KML');
  if (problem) return report.problem(problem.place, problem.problem);
  if (isMisdeclared) report.change('The file', 'declares UTF-16, but is in UTF-8, in which it is read');
  if (text.startsWith('<')) return openedBy(formats, 'xml', text, reading);
  const file = jsonFile(text, report);
  return file && openedBy(formats, 'json', file, reading);
}

/** By the format that recognises the content, or else by the one that has no condition. */
function openedBy<Syntax extends ZoneFormat['syntax']>(
  formats: ZoneFormats,
  syntax: Syntax,
  content: FileContents[Syntax],
  reading: Reading,
): OpenedFile | undefined {
  const all = Object.entries(formats as unknown as Readonly<Record<string, FormatOf<Syntax>>>);
  const its = all.filter(([, format]) => format.syntax === syntax);
  const found = its.find(([, { isOf }]) => isOf?.(content)) ?? its.find(([, { isOf }]) => isOf === undefined);
  return found && { name: found[0], features: found[1].read(content, reading) };
}

/** `undefined` after a report. */
function jsonFile(text: string, report: ImportReport): JsonFile | undefined {
  const read = readJson(text);
  let value: unknown;
  if ('problem' in read) {
    const records = readJsonRecords(text);
    for (const { place, problem } of records?.problems ?? [read.problem]) report.problem(place, problem);
    if (!records || records.problems.length > 0) return undefined;
    value = { features: records.features };
  } else value = Array.isArray(read.value) ? { features: read.value } : read.value;
  const document = fieldsOf(value);
  const { features = document.UASZoneList, UASZoneList: _, type, ...others } = document;
  return { document, features: Array.isArray(features) ? features : undefined, others };
}

/** A feature whose shape can't be read may be inside. */
function isOutside(zones: readonly ReadZone[], bbox: Bbox): boolean {
  return zones.length > 0 && zones.every(({ shape }) => shape && !bboxesOverlap(shapeBox(shape, 0), bbox));
}

function withFewCorners(zone: ReadZone, place: string, report: ImportReport): ReadZone {
  const { shape } = zone;
  const count = shape ? cornerCount(shape) : 0;
  if (!shape || count <= ZONE_CORNERS_MAX) return zone;
  if (count > SIMPLIFIED_MAX) {
    report.problem(
      place,
      `has ${count} corners; at most ${ZONE_CORNERS_MAX} are possible, and above ${SIMPLIFIED_MAX} none are removed`,
    );
    return zone;
  }
  if (report.ask('corners', `${place}: ${count} corners`) === undefined) return zone;
  const fewer = simplified(shape, ZONE_CORNERS_MAX);
  const left = cornerCount(fewer.shape);
  if (left > ZONE_CORNERS_MAX) report.problem(place, `has too many holes: ${left} corners are the fewest possible`);
  const moved = `${count} in the file, ${left} kept; the edge moves by at most ${Math.ceil(fewer.movedM)} m`;
  report.change(place, `corners: ${moved}`);
  return { ...zone, shape: fewer.shape, words: { ...zone.words, ...note('corners', moved) } };
}

/** Each zone keeps what the import changed in its feature. */
function changedWords({ changed }: ImportReport): Record<string, string> {
  return changed.length === 0 ? {} : note('changed', changed.join('; ').slice(0, FEW_WORDS).toWellFormed());
}

function draftsOf(
  zones: readonly (ReadZone & { readonly part: string })[],
  source: Omit<NonNullable<ZoneSource>, 'words'>,
): readonly ImportedZone[] {
  const names = uniqueNames(zones);
  return zones.flatMap(({ shape, vertical, hours, rules, words, source: exported }, index) => {
    const name = names[index] as string;
    return shape
      ? [{ name, shape, vertical, hours, rules, source: exported === undefined ? { ...source, words } : exported }]
      : [];
  });
}

/** Numbers repeated names, and cuts long ones before their part. */
function uniqueNames(wanted: readonly { readonly name: string; readonly part: string }[]): readonly string[] {
  const taken = new Set<string>();
  const repeats = new Map<string, number>();
  return wanted.map(({ name, part }) => {
    const plain = plainName(name);
    const first = fitted(plain, part);
    let unique = first;
    let count = repeats.get(first) ?? 1;
    while (taken.has(unique)) {
      count += 1;
      unique = fitted(plain, `${part} (${count})`);
    }
    repeats.set(first, count);
    taken.add(unique);
    return unique;
  });
}

function plainName(name: string): string {
  const plain = plainWords(name)
    .split(UNPRINTABLE_IN_NAMES)
    .join(' ')
    .normalize('NFC')
    .replaceAll(/\p{Zs}+/gu, ' ')
    .trim();
  return plain === '' ? 'Zone' : plain;
}

function fitted(name: string, suffix: string): string {
  const room = SHORT_NAME_MAX_LENGTH - [...suffix].length;
  const characters = [...name];
  return characters.length <= room
    ? `${name}${suffix}`
    : `${characters
        .slice(0, room - 1)
        .join('')
        .trimEnd()}…${suffix}`;
}
