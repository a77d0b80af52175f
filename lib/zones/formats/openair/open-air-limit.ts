import type { ImportReport } from '../reading/import-report.ts';
import { heightLimit, type Limit, metresOf } from '../reading/limits.ts';

const height = /^(\d{1,6}(?:\.\d{1,3})?)\s*(f|ft|feet|m)?\s*(agl|gnd|sfc|asfc|amsl|msl|std)?$/i;

/** Feet by default. A flight level is an air pressure, so it is a question. */
export function openAirLimit(text: string, place: string, report: ImportReport): Limit {
  if (/^(gnd|sfc|ground|surface)$/i.test(text)) return 'ground';
  if (/^(unl|unlim|unlimited|unld)$/i.test(text)) return 'none';
  const [, level] = /^fl\s*(\d{1,3})$/i.exec(text) ?? [];
  if (level !== undefined) return byPressure(Number(level) * 100, text, place, report);
  const [, digits, unit = 'ft', reference] = (text.length <= 60 && height.exec(text)) || [];
  if (digits === undefined) {
    report.problem(
      place,
      `is “${text.slice(0, 60)}”, which is no height such as 1500ft AMSL, 300m AGL, FL65, GND or UNL`,
    );
    return null;
  }
  const m = metresOf(Number(digits), /^m$/i.test(unit) ? 'm' : 'ft');
  switch (reference?.toLowerCase()) {
    case undefined:
      report.problem(place, `is “${text}”, without a reference: write AMSL or AGL after it`);
      return null;
    case 'std':
      return byPressure(m / 0.3048, text, place, report);
    case 'amsl':
    case 'msl':
      return heightLimit('altitude_m', m, place, report);
    default:
      return m === 0 ? 'ground' : heightLimit('height_agl_m', m, place, report);
  }
}

function byPressure(feet: number, text: string, place: string, report: ImportReport): Limit {
  return report.ask('flight_levels', `${place}: ${text}`) === 'standard'
    ? heightLimit('altitude_m', metresOf(feet, 'ft'), place, report)
    : null;
}
