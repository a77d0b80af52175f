import type { Bbox } from '#lib/geo/bbox.ts';
import { bboxesOverlap } from '#lib/geo/bboxes-overlap.ts';
import { boxAround, shapeBox } from '../shape-box.ts';
import { shapeProblem } from '../shape-problem.ts';
import type { ZoneSource } from '../zone.ts';
import { hoursProblem } from '../zone-hours.ts';
import { ZONE_CORNERS_MAX, ZONES_MAX } from '../zone-limits.ts';
import type { ImportAnswers } from './import-question.ts';
import type { ImportedZone, ZoneImport } from './import-result.ts';
import { ImportReport } from './reading/import-report.ts';
import { joinedParts } from './reading/joined-parts.ts';
import type { ReadZone } from './reading/read-zone.ts';
import { cornerCount, SIMPLIFIED_MAX, simplified } from './reading/simplified.ts';
import { FEW_WORDS, note } from './reading/words.ts';
import { zoneNames } from './reading/zone-names.ts';
import { type ZoneFile, zonesOfFile } from './zones-of-file.ts';

/** Switzerland's file has 18 MB. */
export const IMPORT_MAX_BYTES = 20_000_000;
/** Hostile files can't exhaust memory. */
const READ_MAX = 50_000;
const FILE_NAME_MAX_LENGTH = 200;

export interface ImportOptions {
  readonly file: ZoneFile;
  readonly name: string;
  /** RFC 3339. */
  readonly importedAt: string;
  readonly answers?: ImportAnswers;
  /** Problems outside it don't count. */
  readonly withinBbox?: Bbox;
}

/** Never throws. */
export function importZones({ file, name, importedAt, answers = {}, withinBbox }: ImportOptions): ZoneImport {
  const report = new ImportReport(answers);
  const wrongZone = answers.time_zone === undefined ? undefined : timeZoneProblem(answers.time_zone);
  if (wrongZone !== undefined) report.problem('The answer', wrongZone);
  if (file.bytes.length > IMPORT_MAX_BYTES)
    report.problem(
      'The file',
      `has ${Math.ceil(file.bytes.length / 1e5) / 10} MB; at most ${IMPORT_MAX_BYTES / 1e6} MB are read`,
    );
  if (report.problemCount > 0) return failed(report);

  const { format, features } = zonesOfFile(file, importedAt, report);
  const fileProblems = report.problemCount;
  const read: { place: string; part: string; zone: ReadZone }[] = [];
  for (const { place, zones: parts, report: own } of features) {
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
    if (small.shape && cornerCount(small.shape) <= ZONE_CORNERS_MAX) reportProblems(small, place, report);
    return { ...small, part };
  });
  if (read.length === 0 && report.problemCount === 0) {
    report.problem('The file', withinBbox ? 'has no zones that touch the box' : 'has no zones');
    for (const each of report.leftOut) report.problem('Left out', each);
  }
  if (report.problemCount > 0) return failed(report);
  const questions = report.questions();
  if (questions.length > 0) return { kind: 'questions', questions };
  const source = { format, file: [...name].slice(0, FILE_NAME_MAX_LENGTH).join(''), imported_at: importedAt };
  return { kind: 'zones', drafts: draftsOf(checked, source), leftOut: report.leftOut, changed: report.changed };
}

function failed({ problems, problemCount }: ImportReport): ZoneImport {
  return { kind: 'problems', problems, total: problemCount };
}

/** A shape that can't be read may be inside. */
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

function reportProblems({ shape, hours }: ReadZone, place: string, report: ImportReport): void {
  for (const problem of [shape && shapeProblem(shape), hoursProblem(hours)])
    if (problem) report.problem(place, problem);
}

/** Each zone keeps what the import changed in its feature. */
function changedWords({ changed }: ImportReport): Record<string, string> {
  return changed.length === 0 ? {} : note('changed', changed.join('; ').slice(0, FEW_WORDS).toWellFormed());
}

function draftsOf(
  zones: readonly (ReadZone & { readonly part: string })[],
  source: Omit<NonNullable<ZoneSource>, 'words'>,
): readonly ImportedZone[] {
  const names = zoneNames(zones);
  return zones.flatMap(({ shape, vertical, hours, rules, words, source: exported }, index) =>
    shape
      ? [
          {
            name: names[index] as string,
            shape,
            vertical,
            hours,
            rules,
            source: exported === undefined ? { ...source, words } : exported,
          },
        ]
      : [],
  );
}

function timeZoneProblem(time_zone: string): string | undefined {
  return hoursProblem({ time_zone, from: '2000-01-01T00:00', to: '2000-01-02T00:00' });
}
