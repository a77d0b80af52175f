import type { Rule } from '../../rule.ts';
import type { Hours, Vertical, ZoneShape, ZoneSource } from '../../zone.ts';
import type { ImportReport } from './import-report.ts';

/** A zone of a file before its name is unique and its shape is checked. */
export interface ReadZone {
  readonly name: string;
  /** Names the part of a feature that became several zones, such as `, part 2 of 3`; otherwise empty. */
  readonly part: string;
  /** `undefined` if it can't be read; the report says why. */
  readonly shape: ZoneShape | undefined;
  readonly vertical: Vertical;
  readonly hours: Hours;
  readonly rules: Rule[];
  readonly words: Readonly<Record<string, string>>;
  /** The source that an exported zone had; `undefined` for the file itself. */
  readonly source?: ZoneSource;
}

/** A feature with its own report, so that features outside a chosen box take their problems with them. */
export interface ReadFeature {
  readonly place: string;
  readonly zones: readonly ReadZone[];
  readonly report: ImportReport;
}

/** Suffix for the name of one of several zones of a feature. @param index from 0 */
export function partName(index: number, count: number): string {
  return count > 1 ? `, part ${index + 1} of ${count}` : '';
}

/** Parts, or parts times hours, of one feature. More exhaust memory, and are more than Lookout keeps. */
const PARTS_MAX = 2000;

/** The parts of a geometry; none after a report. */
export function partsOf(value: unknown, place: string, report: ImportReport): readonly unknown[] {
  if (Array.isArray(value) && value.length <= PARTS_MAX) return value;
  if (Array.isArray(value)) report.problem(place, `has ${value.length} parts; at most ${PARTS_MAX} are read`);
  return [];
}

/** One zone for each shape at each of its hours. */
export function zonesOf<Shape>(
  shapes: readonly Shape[],
  hours: readonly Hours[],
  place: string,
  report: ImportReport,
): { shape: Shape; hours: Hours; part: string }[] {
  const count = shapes.length * hours.length;
  if (count > PARTS_MAX) {
    report.problem(place, `has ${shapes.length} parts at ${hours.length} times; at most ${PARTS_MAX} zones are made`);
    return [];
  }
  const zones = shapes.flatMap((shape) => hours.map((each) => ({ shape, hours: each })));
  return zones.map((zone, index) => ({ ...zone, part: partName(index, count) }));
}
