import type { HEIGHT_FIELDS, Vertical } from '../../zone.ts';
import type { ImportReport } from './import-report.ts';
import { note } from './words.ts';

/** null: not stated. `none`: unlimited. `ground`: the ground, or 0 above it. */
export type Limit = null | 'none' | 'ground' | { readonly field: (typeof HEIGHT_FIELDS)[number]; readonly m: number };

const FOOT_M = 0.3048;
const LIMIT_M = { min: -1000, max: 100_000 } as const;

/** To a millimetre, so that 400 ft is 121.92. */
export function metresOf(value: number, unit: 'm' | 'ft'): number {
  return unit === 'm' ? value : Math.round(value * FOOT_M * 1000) / 1000;
}

/** @returns null after a report */
export function heightLimit(
  field: (typeof HEIGHT_FIELDS)[number],
  m: number,
  place: string,
  report: ImportReport,
): Limit {
  if (Number.isFinite(m) && m >= LIMIT_M.min && m <= LIMIT_M.max) return { field, m };
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
