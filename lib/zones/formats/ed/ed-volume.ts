import type { ZoneShape } from '../../zone.ts';
import { type Position, readPosition } from '../reading/coordinates.ts';
import { shown, textOf } from '../reading/fields.ts';
import type { ImportReport } from '../reading/import-report.ts';
import { heightLimit, type Limit, metresOf, type ReadVertical, readVertical } from '../reading/limits.ts';
import { note } from '../reading/words.ts';

/** Switzerland publishes this for unlimited heights. */
const UNLIMITED = 99_999;

export interface StatedLimits {
  readonly unit: unknown;
  readonly lower: unknown;
  readonly lowerReference: unknown;
  readonly upper: unknown;
  readonly upperReference: unknown;
}

/** @param names of the limits in the file */
export function edVertical(
  stated: StatedLimits,
  names: { readonly lower: string; readonly upper: string },
  place: string,
  report: ImportReport,
): ReadVertical {
  const floor = edLimit(stated.lower, stated.lowerReference, stated.unit, `${place}, ${names.lower}`, report);
  const ceiling = edLimit(stated.upper, stated.upperReference, stated.unit, `${place}, ${names.upper}`, report);
  const isOnGround = typeof floor === 'object' && floor?.field === 'height_agl_m' && floor.m === 0;
  return readVertical(isOnGround ? 'ground' : floor, ceiling, place, report);
}

function edLimit(value: unknown, reference: unknown, unit: unknown, place: string, report: ImportReport): Limit {
  if (value === null || value === undefined) return null;
  if (value === UNLIMITED) return 'none';
  if (typeof value !== 'number') {
    report.problem(place, `is ${shown(value)}, which is no number`);
    return null;
  }
  const plainUnit = textOf(unit).toLowerCase();
  if (plainUnit !== 'm' && plainUnit !== 'ft') {
    report.problem(place, `has the unit ${shown(unit)}, which is neither M nor FT`);
    return null;
  }
  const plainReference = textOf(reference).toUpperCase();
  if (plainReference !== 'AGL' && plainReference !== 'AMSL') {
    report.problem(
      place,
      `has the reference ${shown(reference)}; Lookout compares heights above ground (AGL) and altitudes above sea level (AMSL) only`,
    );
    return null;
  }
  return heightLimit(
    plainReference === 'AGL' ? 'height_agl_m' : 'altitude_m',
    metresOf(value, plainUnit),
    place,
    report,
  );
}

export interface ReadCircle {
  readonly shape: ZoneShape | undefined;
  readonly words: Readonly<Record<string, string>>;
}

/** @param unit of the volume; a radius in feet may be in metres */
export function edCircle(
  centre: unknown,
  radius: unknown,
  unit: unknown,
  place: string,
  report: ImportReport,
): ReadCircle {
  const position: Position | undefined = readPosition(centre, `${place}, centre`, report);
  const isInFeet = textOf(unit).toLowerCase() === 'ft';
  const answer = isInFeet ? report.ask('radius', `${place}: radius ${shown(radius)}`) : 'metres';
  const radius_m = typeof radius === 'number' ? metresOf(radius, answer === 'feet' ? 'ft' : 'm') : Number.NaN;
  if (!(radius_m >= 1 && radius_m <= 500_000)) {
    report.problem(`${place}, radius`, `is ${shown(radius)}, where 1 m to 500 km is needed`);
    return { shape: undefined, words: {} };
  }
  return {
    shape: position && { type: 'Circle', centre: position, radius_m },
    words: isInFeet ? note('radius', `read as ${answer}`) : {},
  };
}
