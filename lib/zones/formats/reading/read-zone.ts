import type { Rule } from '../../rule.ts';
import type { Hours, Vertical, ZoneShape, ZoneSource } from '../../zone.ts';
import type { ImportReport } from './import-report.ts';

/** Before names are unique and shapes are checked. */
export interface ReadZone {
  readonly name: string;
  /** `undefined` after a report. */
  readonly shape: ZoneShape | undefined;
  readonly vertical: Vertical;
  readonly hours: Hours;
  readonly rules: Rule[];
  readonly words: Readonly<Record<string, string>>;
  /** `undefined`: the file itself. */
  readonly source?: ZoneSource;
}

/** Its own report lets features outside a box drop their problems. */
export interface ReadFeature {
  readonly place: string;
  readonly zones: readonly ReadZone[];
  readonly report: ImportReport;
}

/** More exhaust memory. */
const PARTS_MAX = 2000;

/** Empty after a report. */
export function partsOf(value: unknown, place: string, report: ImportReport): readonly unknown[] {
  if (Array.isArray(value) && value.length <= PARTS_MAX) return value;
  if (Array.isArray(value)) report.problem(place, `has ${value.length} parts; at most ${PARTS_MAX} are read`);
  return [];
}

export function zonesOf<Shape>(
  shapes: readonly Shape[],
  hours: readonly Hours[],
  place: string,
  report: ImportReport,
): { shape: Shape; hours: Hours }[] {
  const count = shapes.length * hours.length;
  if (count > PARTS_MAX) {
    report.problem(place, `has ${shapes.length} parts at ${hours.length} times; at most ${PARTS_MAX} zones are made`);
    return [];
  }
  return shapes.flatMap((shape) => hours.map((each) => ({ shape, hours: each })));
}
