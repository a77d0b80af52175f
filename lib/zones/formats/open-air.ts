import { bearingDeg, destination, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { wrapBearing, wrapLongitude } from '#lib/geo/longitude.ts';
import { parseCoordinates } from '#lib/geo/parse-coordinates.ts';
import { ZONE_FORMATS, type ZoneShape } from '../zone.ts';
import { ZONE_LIMITS } from '../zone-limits.ts';
import { ImportReport, type ReadFeature, type Reading, type ZoneFormat, zonesOf } from './import-report.ts';
import { hoursOfWindows, type StatedWindow } from './read-hours.ts';
import {
  FOOT_M,
  heightLimit,
  type Limit,
  type LonLatPair,
  readPosition,
  readVertical,
  statedMetres,
  wordsOf,
} from './read-values.ts';

/** By Naviter’s description. A line is a command; an airspace begins with `AC`. Terrain (`TO`, `TC`) is a problem. */
export const OPEN_AIR: ZoneFormat = {
  ...ZONE_FORMATS.openair,
  syntax: 'lines',
  isOf: (text) => /^[ \t]{0,20}AC[ \t]/im.test(text.trimStart()),
  read: readAirspaces,
};

const COMMAND = /^(A[A-Z]|D[PCABY]|V|S[PB]|T[OC])(?:\s+(.*))?$/i;
const LINE_MAX_LENGTH = 2000;

function* readAirspaces(text: string, { importedAt, report }: Reading): Generator<ReadFeature> {
  let airspace: Airspace | undefined;
  for (const { line, number } of linesOf(text)) {
    const place = `Line ${number}`;
    const [, name = '', rest = ''] = COMMAND.exec(line) ?? [];
    const command = name.toUpperCase();
    if (command === 'AC') {
      if (airspace) yield airspace.feature(importedAt);
      airspace = new Airspace(place, new ImportReport(report.answers));
    }
    // These are colours for drawing.
    if (command === 'SP' || command === 'SB') continue;
    if (!airspace) report.problem(place, `is “${line.slice(0, 40)}”, before the first airspace (AC)`);
    else if (line.length > LINE_MAX_LENGTH)
      airspace.report.problem(place, `is longer than ${LINE_MAX_LENGTH} characters`);
    else if (command === '') airspace.report.problem(place, `is “${line.slice(0, 40)}”, which OpenAir does not define`);
    else airspace.read(command, rest.trim(), place);
  }
  if (airspace) yield airspace.feature(importedAt);
}

/** Non-empty lines, ended by LF, CR LF or CR. */
function* linesOf(whole: string): Generator<{ line: string; number: number }> {
  const text = whole.replaceAll(/\r\n?/g, '\n');
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    number += 1;
    const line = text.slice(start, end).trim();
    if (line !== '' && !line.startsWith('*')) yield { line, number };
    start = end + 1;
  }
}

class Airspace {
  readonly report: ImportReport;
  readonly #place: string;
  readonly #shape: OpenAirShape;
  /** Texts of the `A` lines; repeated ones are joined. */
  readonly #words = new Map<string, string>();
  readonly #limits = new Map<string, Limit>();
  readonly #windows: StatedWindow[] = [];

  constructor(place: string, report: ImportReport) {
    this.report = report;
    this.#place = place;
    this.#shape = new OpenAirShape(report);
  }

  read(command: string, rest: string, place: string): void {
    if (command.startsWith('T')) this.report.problem(place, 'begins terrain, which is no airspace');
    else if (command === 'V') this.#shape.variable(withoutComment(rest), place);
    else if (command.startsWith('D')) this.#shape.draw(command, withoutComment(rest), place);
    else this.#describe(command, withoutComment(rest), place);
  }

  feature(importedAt: string): ReadFeature {
    const name = this.#words.get('AN') ?? '';
    const place = name === '' ? this.#place : `${this.#place} “${name.slice(0, 60)}”`;
    const shapes = this.#shape.shapes(place);
    const [floor, ceiling] = ['AL', 'AH'].map((command) => this.#limits.get(command) ?? null) as [Limit, Limit];
    const { vertical, words } = readVertical(floor, ceiling, place, this.report);
    const hours = hoursOfWindows(this.#windows, importedAt, this.report);
    const allWords = { ...wordsOf(Object.fromEntries(this.#words)), ...words };
    const zones = zonesOf(shapes, hours, place, this.report).map((zone) => ({
      ...zone,
      name: name || place,
      vertical,
      rules: [],
      words: allWords,
    }));
    return { place, report: this.report, zones };
  }

  #describe(command: string, text: string, place: string): void {
    const before = this.#words.get(command);
    if (before !== undefined && (command === 'AH' || command === 'AL' || command === 'AN'))
      this.report.problem(place, `is a second ${command} of the airspace`);
    this.#words.set(command, before === undefined ? text : `${before} | ${text}`);
    if (command === 'AH' || command === 'AL') this.#limits.set(command, readLimit(text, place, this.report));
    if (command === 'AA') this.#window(text.split(';', 1).join('').trim(), place);
  }

  /** `AA 2026-12-16T12:00Z/2026-12-16T13:00Z`; `NONE` for an unstated end. */
  #window(text: string, place: string): void {
    if (/^none$/i.test(text)) {
      // Inactive until a NOTAM, which Lookout does not read.
      this.report.ask('hours', `${place}: times that other publications state`);
      return;
    }
    const edges = text.split('/').map((edge) => (/^none$/i.test(edge.trim()) ? null : edge.trim()));
    if (edges.length !== 2) this.report.problem(place, `is “${text.slice(0, 60)}”, which is no time span`);
    else this.#windows.push({ start: edges[0], end: edges[1], schedule: [], place });
  }
}

function withoutComment(text: string): string {
  return text.split('*', 1).join('').trim();
}

const NAUTICAL_MILE_M = 1852;

/** The drawing by the `V` and `D` commands of an airspace. */
class OpenAirShape {
  readonly #report: ImportReport;
  readonly #edge: LonLatPair[] = [];
  readonly #airway: LonLatPair[] = [];
  readonly #circles: ZoneShape[] = [];
  #centre: LonLatPair | undefined;
  #clockwise = true;
  #widthM: number | undefined;
  #isEmpty = true;

  constructor(report: ImportReport) {
    this.#report = report;
  }

  /** Such as `X=47:27:29 N 008:32:53 E`. */
  variable(text: string, place: string): void {
    const [, name = '', value = ''] = /^([A-Z])\s*=\s*(.*)$/i.exec(text) ?? [];
    switch (name.toUpperCase()) {
      case 'X':
        this.#centre = this.#position(value, place);
        break;
      case 'D':
        if (value === '+' || value === '-') this.#clockwise = value === '+';
        else this.#report.problem(place, `has the direction “${value.slice(0, 20)}”, which is neither + nor -`);
        break;
      case 'W':
        this.#widthM = this.#miles(value, place);
        break;
      // This is the zoom from which programs show the airspace.
      case 'Z':
        break;
      default:
        this.#report.problem(place, `sets “${text.slice(0, 20)}”, which is none of X, D, W and Z`);
    }
  }

  /** @param command `DP`, `DC`, `DA`, `DB` or `DY` */
  draw(command: string, text: string, place: string): void {
    this.#isEmpty = false;
    const corner = command === 'DP' || command === 'DY' ? this.#position(text, place) : undefined;
    if (corner) (command === 'DP' ? this.#edge : this.#airway).push(corner);
    if (command === 'DC') this.#circle(text, place);
    if (command === 'DA' || command === 'DB') this.#edge.push(...this.#arc(command, text, place));
  }

  shapes(place: string): (ZoneShape | undefined)[] {
    const shapes: (ZoneShape | undefined)[] = [...this.#circles];
    if (this.#edge.length > 0) shapes.push(this.#polygon(place));
    if (this.#airway.length > 0) shapes.push(this.#corridor(place));
    if (this.#isEmpty) this.#report.problem(place, 'has no geometry');
    return shapes.length > 0 ? shapes : [undefined];
  }

  #polygon(place: string): ZoneShape | undefined {
    const ring = withoutRepeats(this.#edge);
    const [first, last] = [ring[0] as LonLatPair, ring.at(-1) as LonLatPair];
    // The format closes an open edge.
    if (first[0] !== last[0] || first[1] !== last[1]) ring.push(first);
    if (ring.length >= 4) return { type: 'Polygon', coordinates: [ring] };
    return this.#report.problem(place, `has ${ring.length - 1} corners, where 3 are needed`);
  }

  #corridor(place: string): ZoneShape | undefined {
    const line = withoutRepeats(this.#airway);
    if (this.#widthM === undefined) return this.#report.problem(place, 'has an airway (DY) without a width (V W=)');
    if (line.length < 2) return this.#report.problem(place, 'has an airway of one position');
    return { type: 'Corridor', line, half_width_m: this.#widthM / 2 };
  }

  #circle(text: string, place: string): void {
    const radius_m = this.#miles(text, place);
    const centre = this.#centreFor('DC', place);
    if (radius_m !== undefined && centre) this.#circles.push({ type: 'Circle', centre, radius_m });
  }

  #arc(command: 'DA' | 'DB', text: string, place: string): LonLatPair[] {
    const centre = this.#centreFor(command, place);
    const parts = text.split(',').map((part) => part.trim());
    if (command === 'DB') {
      // Some files add a comma between latitude and longitude.
      const [from, to] = parts.length === 4 ? [`${parts[0]} ${parts[1]}`, `${parts[2]} ${parts[3]}`] : parts;
      const [start, end] = [this.#position(from ?? '', place), this.#position(to ?? '', place)];
      return centre && start && end ? arcBetween(centre, start, end, this.#clockwise) : [];
    }
    const radiusM = this.#miles(parts[0] ?? '', place);
    const [fromDeg, toDeg] = [bearing(parts[1]), bearing(parts[2])];
    if (fromDeg === undefined || toDeg === undefined || parts.length !== 3)
      this.#report.problem(
        place,
        `is “${text.slice(0, 60)}”, where a radius and two bearings such as 5, 270, 290 are needed`,
      );
    else if (radiusM !== undefined && centre) return arcByBearings(centre, radiusM, fromDeg, toDeg, this.#clockwise);
    return [];
  }

  #centreFor(command: string, place: string): LonLatPair | undefined {
    return this.#centre ?? this.#report.problem(place, `has ${command} without a centre (V X=) before it`);
  }

  #position(text: string, place: string): LonLatPair | undefined {
    const written = writtenPosition(text);
    if (written) return readPosition(written, place, this.#report);
    return this.#report.problem(
      place,
      `has the position “${text.slice(0, 60)}”, which is none such as 47:27:29 N 008:32:53 E`,
    );
  }

  #miles(text: string, place: string): number | undefined {
    const [, miles = ''] = /^(\d{1,4}(?:[.,]\d{1,9})?|\.\d{1,9})\s*(?:nm)?$/i.exec(text) ?? [];
    const m = Math.round(Number(miles.replace(',', '.')) * NAUTICAL_MILE_M * 1000) / 1000;
    if (m >= ZONE_LIMITS.radius_m.min && m <= ZONE_LIMITS.radius_m.max) return m;
    return this.#report.problem(
      place,
      `has the distance “${text.slice(0, 20)}”, where a number of nautical miles is needed`,
    );
  }
}

function bearing(text = ''): number | undefined {
  return /^\d{1,3}(\.\d{1,9})?$/.test(text) && Number(text) <= 360 ? Number(text) : undefined;
}

function withoutRepeats(line: readonly LonLatPair[]): LonLatPair[] {
  return line.filter(([lon, lat], index) => lon !== line[index - 1]?.[0] || lat !== line[index - 1]?.[1]);
}

const ANGLE = String.raw`(\d{1,3})(?::(\d{1,2}(?:\.\d{1,9})?)(?::(\d{1,2}(?:\.\d{1,9})?))?|(\.\d{1,12}))?`;
const position = new RegExp(String.raw`^${ANGLE}\s*([NS])[\s,]*${ANGLE}\s*([EW])$`, 'i');
const POSITION_MAX_LENGTH = 80;

/**
 * Such as `47:27:29 N 008:32:53 E`, with decimals in the last part, or as other publications write both letters.
 * Longitudes and latitudes are not checked.
 */
function writtenPosition(text: string): LonLatPair | undefined {
  if (text.length > POSITION_MAX_LENGTH) return undefined;
  const found = position.exec(text.trim());
  if (!found) return otherwiseWritten(text);
  const [, latDeg, latMin, latSec, latPart, ns, lonDeg, lonMin, lonSec, lonPart, ew] = found;
  const lat = degrees(latDeg, latMin, latSec, latPart, ns);
  const lon = degrees(lonDeg, lonMin, lonSec, lonPart, ew);
  return lat !== undefined && lon !== undefined ? [lon, lat] : undefined;
}

/** Without letters, the order of the two is open. */
function otherwiseWritten(text: string): LonLatPair | undefined {
  const letters = text.toUpperCase().replaceAll(/[^A-Z]/g, '');
  if (!/^([NS][EW]|[EW][NS])$/.test(letters)) return undefined;
  const read = parseCoordinates(text.replaceAll(':', ' '));
  return read?.ok ? [read.place.lon, read.place.lat] : undefined;
}

/** Rounded minutes and seconds may be 60. */
function degrees(
  whole: string | undefined,
  minutes = '0',
  seconds = '0',
  part = '',
  hemisphere = '',
): number | undefined {
  if (Number(minutes) > 60 || Number(seconds) > 60 || (minutes.includes('.') && seconds !== '0')) return undefined;
  const value = Number(`${whole}${part}`) + Number(minutes) / 60 + Number(seconds) / 3600;
  return /[SW]/i.test(hemisphere) && value !== 0 ? -value : value;
}

/** Edges of an arc are inside it by up to 0.03 % of the radius. */
const STEP_DEG = 3;
/** Seven decimals are about a centimetre. */
const DECIMALS = 1e7;

/** Includes both ends. @param clockwise seen from above */
function arcByBearings(
  centre: LonLatPair,
  radiusM: number,
  fromDeg: number,
  toDeg: number,
  clockwise: boolean,
): LonLatPair[] {
  return arc(centre, fromDeg, sweepDeg(fromDeg, toDeg, clockwise), () => radiusM);
}

/** The format states the radius twice; where they differ, it changes evenly. */
function arcBetween(centre: LonLatPair, from: LonLatPair, to: LonLatPair, clockwise: boolean): LonLatPair[] {
  const [middle, start, end] = [centre, from, to].map(([lon, lat]) => ({ lon, lat })) as [LonLat, LonLat, LonLat];
  const [startM, endM] = [distanceM(middle, start), distanceM(middle, end)];
  const startDeg = bearingDeg(middle, start);
  const swept = sweepDeg(startDeg, bearingDeg(middle, end), clockwise);
  return [from, ...arc(centre, startDeg, swept, (part) => startM + part * (endM - startM)).slice(1, -1), to];
}

/** @returns degrees, positive if clockwise; a whole turn for equal bearings */
function sweepDeg(fromDeg: number, toDeg: number, clockwise: boolean): number {
  const clockwiseDeg = wrapBearing(toDeg - fromDeg) || 360;
  return clockwise || clockwiseDeg === 360 ? clockwiseDeg : -wrapBearing(-clockwiseDeg);
}

function arc(
  [lon, lat]: LonLatPair,
  fromDeg: number,
  sweptDeg: number,
  radiusM: (part: number) => number,
): LonLatPair[] {
  const steps = Math.max(1, Math.ceil(Math.abs(sweptDeg) / STEP_DEG));
  return Array.from({ length: steps + 1 }, (_, step) => {
    const part = step / steps;
    const place = destination({ lon, lat }, fromDeg + part * sweptDeg, radiusM(part));
    return [rounded(wrapLongitude(place.lon)), rounded(place.lat)];
  });
}

function rounded(deg: number): number {
  return Math.round(deg * DECIMALS) / DECIMALS + 0;
}

const GROUND = /^(gnd|grd|sfc|ground|surface)( (agl|asfc))?$/;
const UNLIMITED = /^(unl|unlim|unlimited|unltd|unld)$/;
const LEVEL = /^(?:fl ?(\d{1,3})|(\d{1,3}) ?fl)( std)?$/;
const REFERENCE = 'agl|agnd|gnd|grd|sfc|asfc|amsl|msl|alt|qnh|std';
const HEIGHT = new RegExp(
  `^(?:(${REFERENCE}) ?)?(\\d{1,6}(?:\\.\\d{1,3})?|\\d{1,3}(?:[,'’ ]\\d{3})) ?(f|ft|feet|foot|m|meters?|metres?)? ?(${REFERENCE})?$`,
);
const LIMIT_MAX_LENGTH = 60;

/** Feet by default. A missing reference, an unclear point and a flight level, which is an air pressure, are questions. */
function readLimit(text: string, place: string, report: ImportReport): Limit {
  const plain = plainText(text);
  if (GROUND.test(plain)) return 'ground';
  if (UNLIMITED.test(plain)) return 'none';
  const [, behind, before = behind] = LEVEL.exec(plain) ?? [];
  if (before !== undefined) return byPressure(Number(before) * 100, text, place, report);
  const [, first, digits, unit = 'ft', last = first] = HEIGHT.exec(plain) ?? [];
  if (digits === undefined || (first !== undefined && last !== first)) {
    report.problem(
      place,
      `is “${text.slice(0, LIMIT_MAX_LENGTH)}”, which is no height such as 1500ft AMSL, 300m AGL, FL65, GND or UNL`,
    );
    return null;
  }
  const m = statedMetres(numberOf(digits, text, place, report), unit.startsWith('m') ? 'm' : 'ft');
  switch (last ?? statedOnce(m, text, place, report)) {
    case undefined:
      return null;
    case 'std':
      return byPressure(m / FOOT_M, text, place, report);
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
  if (text.length > LIMIT_MAX_LENGTH) return '';
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
    ? heightLimit('altitude_m', statedMetres(feet, 'ft'), place, report)
    : null;
}
