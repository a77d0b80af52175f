import type { ImportReport } from '../reading/import-report.ts';
import { heightLimit, type Limit, metresOf } from '../reading/limits.ts';

const GROUND = /^(gnd|grd|sfc|ground|surface)( (agl|asfc))?$/;
const NONE = /^(unl|unlim|unlimited|unltd|unld)$/;
const LEVEL = /^(?:fl ?(\d{1,3})|(\d{1,3}) ?fl)( std)?$/;
const REFERENCE = 'agl|agnd|gnd|grd|sfc|asfc|amsl|msl|alt|qnh|std';
const HEIGHT = new RegExp(
  `^(?:(${REFERENCE}) ?)?(\\d{1,6}(?:\\.\\d{1,3})?|\\d{1,3}(?:[,'’ ]\\d{3})) ?(f|ft|feet|foot|m|meters?|metres?)? ?(${REFERENCE})?$`,
);
const LONGEST = 60;

/** Feet by default. A missing reference, an unclear point and a flight level, which is an air pressure, are questions. */
export function openAirLimit(text: string, place: string, report: ImportReport): Limit {
  const plain = plainText(text);
  if (GROUND.test(plain)) return 'ground';
  if (NONE.test(plain)) return 'none';
  const [, behind, before = behind] = LEVEL.exec(plain) ?? [];
  if (before !== undefined) return byPressure(Number(before) * 100, text, place, report);
  const [, first, digits, unit = 'ft', last = first] = HEIGHT.exec(plain) ?? [];
  if (digits === undefined || (first !== undefined && last !== first)) {
    report.problem(
      place,
      `is “${text.slice(0, LONGEST)}”, which is no height such as 1500ft AMSL, 300m AGL, FL65, GND or UNL`,
    );
    return null;
  }
  const m = metresOf(numberOf(digits, text, place, report), unit.startsWith('m') ? 'm' : 'ft');
  switch (last ?? statedOnce(m, text, place, report)) {
    case undefined:
      return null;
    case 'std':
      return byPressure(m / 0.3048, text, place, report);
    case 'amsl':
    case 'msl':
    case 'alt':
    case 'qnh':
      return heightLimit('altitude_m', m, place, report);
    default:
      return m === 0 ? 'ground' : heightLimit('height_agl_m', m, place, report);
  }
}

/** Without dots that end abbreviations, as in `3500 ft. A.M.S.L.`. */
function plainText(text: string): string {
  if (text.length > LONGEST) return '';
  return text
    .toLowerCase()
    .replaceAll(/([a-z])\./g, '$1 ')
    .replaceAll(/\.(?=\s|$)/g, ' ')
    .replaceAll(/\ba m s l\b/g, 'amsl')
    .replaceAll(/\ba g l\b/g, 'agl')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** No aeronautical height has thousandths, but a point is not a comma. */
function numberOf(digits: string, text: string, place: string, report: ImportReport): number {
  const isOpen = /^\d{1,3}\.\d{3}$/.test(digits);
  const isGrouped = isOpen && report.ask('point', `${place}: ${text}`) === 'thousands';
  return Number(digits.replaceAll(isGrouped ? /[.,'’ ]/g : /[,'’ ]/g, ''));
}

/** The ground is 0 by every reference. */
function statedOnce(m: number, text: string, place: string, report: ImportReport): string | undefined {
  return m === 0 ? 'gnd' : report.ask('reference', `${place}: ${text}`);
}

function byPressure(feet: number, text: string, place: string, report: ImportReport): Limit {
  return report.ask('flight_levels', `${place}: ${text}`) === 'standard'
    ? heightLimit('altitude_m', metresOf(feet, 'ft'), place, report)
    : null;
}
