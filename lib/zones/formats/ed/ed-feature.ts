import type { ZoneShape } from '../../zone.ts';
import { type Fields, fieldsOf, textOf } from '../reading/fields.ts';
import { hoursOfWindows, type StatedWindow } from '../reading/hours-of-windows.ts';
import type { ImportReport } from '../reading/import-report.ts';
import type { ReadVertical } from '../reading/limits.ts';
import { type ReadFeature, zonesOf } from '../reading/read-zone.ts';
import { shownText, wordsOf } from '../reading/words.ts';

export interface EdVolume extends ReadVertical {
  readonly shape: ZoneShape | undefined;
}

/** `Feature 3 “Findel”`. */
export function edPlace(fields: Fields, index: number): string {
  const name = edName(fields);
  return `Feature ${index + 1}${name === '' ? '' : ` “${name.slice(0, 60)}”`}`;
}

function edName({ name, identifier }: Fields): string {
  return shownText(name) || shownText(identifier);
}

/** One zone for each volume and time. */
export function edFeature(
  fields: Fields,
  volumes: readonly EdVolume[],
  {
    place,
    importedAt,
    documentWords,
  }: {
    readonly place: string;
    readonly importedAt: string;
    readonly documentWords: Readonly<Record<string, string>>;
  },
  report: ImportReport,
): ReadFeature {
  if (volumes.length === 0) report.problem(place, 'has no geometry');
  const hours = edHours(fields, place, importedAt, report);
  const ownWords = { ...documentWords, ...wordsOf(fields) };
  const zones = zonesOf(volumes, hours, place, report).map(({ shape: volume, ...zone }) => ({
    ...zone,
    name: edName(fields) || place,
    shape: volume.shape,
    vertical: volume.vertical,
    rules: [],
    words: { ...ownWords, ...volume.words },
  }));
  return { place, report, zones };
}

/** A permanent window overrides the others. */
function edHours(
  { applicability, limitedApplicability }: Fields,
  place: string,
  importedAt: string,
  report: ImportReport,
) {
  const name = limitedApplicability ? 'limitedApplicability' : 'applicability';
  const stated = limitedApplicability ?? applicability ?? [];
  if (!Array.isArray(stated)) {
    report.problem(`${place}, ${name}`, 'is no list');
    return [null];
  }
  const windows = stated.map(fieldsOf);
  if (windows.length === 0 || windows.some(({ permanent }) => permanent === true || /^yes$/i.test(textOf(permanent))))
    return [null];
  return hoursOfWindows(
    windows.map((window, index): StatedWindow => {
      const where = `${place}, ${name} ${index + 1}`;
      return {
        start: window.startDateTime,
        end: window.endDateTime,
        schedule: scheduleOf(window, where, report),
        place: where,
      };
    }),
    importedAt,
    report,
  );
}

function scheduleOf({ schedule }: Fields, place: string, report: ImportReport): readonly Fields[] {
  if (schedule === null || schedule === undefined) return [];
  if (Array.isArray(schedule)) return schedule.map(fieldsOf);
  report.problem(`${place}, schedule`, 'is no list');
  return [];
}
