import { type Hours, ZONE_FORMATS, type ZoneShape } from '../zone.ts';
import { ZONE_LIMITS } from '../zone-limits.ts';
import { ImportReport, partsOf, type ReadFeature, type Reading, type ZoneFormat, zonesOf } from './import-report.ts';
import { hoursOfWindows, type StatedWindow } from './read-hours.ts';
import {
  FEW_WORDS,
  type Fields,
  fieldsOf,
  heightLimit,
  type Limit,
  note,
  type ReadVertical,
  readPosition,
  readRings,
  readVertical,
  shown,
  shownText,
  statedMetres,
  textOf,
  wordsOf,
} from './read-values.ts';

/** EUROCAE ED-269, by files of Luxembourg, Finland and Switzerland: the geometry of a feature is a list of volumes. */
export const ED_269: ZoneFormat = {
  ...ZONE_FORMATS['ed-269'],
  syntax: 'json',
  isOf: ({ features = [] }) => features.some((feature) => Array.isArray(fieldsOf(feature).geometry)),
  *read({ features = [], others }, reading) {
    const documentWords = wordsOf(others, 'document.', FEW_WORDS);
    for (const [index, feature] of features.entries()) {
      const report = new ImportReport(reading.report.answers);
      const { geometry, ...fields } = fieldsOf(feature);
      const place = placeOf(fields, index);
      const volumes = partsOf(geometry, place, report).map((volume, at) =>
        readVolume(fieldsOf(volume), `${place}, geometry ${at + 1}`, report),
      );
      yield featureOf({ fields, volumes, documentWords, place, report }, reading);
    }
  },
};

/** EUROCAE ED-318, and names of ED-269 within the properties, as in Estonia's file: GeoJSON with heights and times. */
export const ED_318: ZoneFormat = {
  ...ZONE_FORMATS['ed-318'],
  syntax: 'json',
  isOf: ({ features = [] }) =>
    features.some((feature) => {
      const geometry = fieldsOf(fieldsOf(feature).geometry);
      const properties = fieldsOf(fieldsOf(feature).properties);
      const parts = Array.isArray(geometry.geometries) ? geometry.geometries.map(fieldsOf) : [];
      const isLayered = [geometry, ...parts].some(({ layer, extent }) => layer !== undefined || extent !== undefined);
      return isLayered || ['identifier', 'country', 'zoneAuthority'].every((name) => properties[name] !== undefined);
    }),
  *read({ features = [], others }, reading) {
    const documentWords = wordsOf(others, 'document.', FEW_WORDS);
    for (const [index, feature] of features.entries()) {
      const report = new ImportReport(reading.report.answers);
      const { geometry, properties } = fieldsOf(feature);
      const { geometry: limits, ...fields } = fieldsOf(properties);
      const place = placeOf(fields, index);
      if (geometry === null) {
        // Valid in GeoJSON, on which ED-318 builds.
        report.leaveOut(place, 'has no geometry');
        yield { place, report, zones: [] };
        continue;
      }
      const volumes = readGeometry(fieldsOf(geometry), fieldsOf(limits), place, report);
      yield featureOf({ fields, volumes, documentWords, place, report }, reading);
    }
  },
};

interface Volume extends ReadVertical {
  /** `undefined` after a report. */
  readonly shape: ZoneShape | undefined;
}

/** Such as `Feature 3 “Findel”`. */
function placeOf(fields: Fields, index: number): string {
  const name = nameOf(fields);
  return `Feature ${index + 1}${name === '' ? '' : ` “${name.slice(0, 60)}”`}`;
}

function nameOf({ name, identifier }: Fields): string {
  return shownText(name) || shownText(identifier);
}

/** Each volume and time of a feature is a zone. */
function featureOf(
  {
    fields,
    volumes,
    documentWords,
    place,
    report,
  }: {
    readonly fields: Fields;
    readonly volumes: readonly Volume[];
    readonly documentWords: Readonly<Record<string, string>>;
    readonly place: string;
    readonly report: ImportReport;
  },
  { importedAt }: Reading,
): ReadFeature {
  if (volumes.length === 0) report.problem(place, 'has no geometry');
  const hours = readHours(fields, place, importedAt, report);
  const words = { ...documentWords, ...wordsOf(fields) };
  const zones = zonesOf(volumes, hours, place, report).map(({ shape: volume, hours: at }) => ({
    name: nameOf(fields) || place,
    shape: volume.shape,
    vertical: volume.vertical,
    hours: at,
    rules: [],
    words: { ...words, ...volume.words },
  }));
  return { place, report, zones };
}

/** A permanent window overrides the others. */
function readHours(
  { applicability, limitedApplicability }: Fields,
  place: string,
  importedAt: string,
  report: ImportReport,
): Hours[] {
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

/** Reads a volume of ED-269. */
function readVolume(volume: Fields, place: string, report: ImportReport): Volume {
  const { horizontalProjection, ...limits } = volume;
  const { type, coordinates, center, centre = center, radius } = fieldsOf(horizontalProjection);
  const { vertical, words } = readLimits(limits, 'geometry', place, report);
  const where = `${place}, horizontalProjection`;
  if (type === 'Circle') {
    const circle = readCircle(centre, radius, volume.uomDimensions, where, report);
    return { shape: circle.shape, vertical, words: { ...words, ...wordsOf({ radius }, 'geometry.'), ...circle.words } };
  }
  if (type !== 'Polygon') report.problem(where, `has the type ${shown(type)}, which is neither Polygon nor Circle`);
  // Some files omit the list around a single ring.
  const isRing = Array.isArray(coordinates) && Array.isArray(coordinates[0]) && typeof coordinates[0][0] === 'number';
  const rings = type === 'Polygon' ? readRings(isRing ? [coordinates] : coordinates, where, report) : undefined;
  return { shape: rings && { type: 'Polygon', coordinates: rings }, vertical, words };
}

/** Of ED-318. @param limits of the properties, for geometries without a layer */
function readGeometry(geometry: Fields, limits: Fields, place: string, report: ImportReport): Volume[] {
  if (geometry.type !== 'GeometryCollection') return readLayered(geometry, limits, place, report);
  return partsOf(geometry.geometries, place, report).flatMap((part, index) => {
    const where = `${place}, geometry ${index + 1}`;
    if (part === null) {
      report.leaveOut(where, 'has no geometry');
      return [];
    }
    const own = fieldsOf(part);
    return readLayered({ ...own, layer: own.layer ?? geometry.layer }, limits, where, report);
  });
}

function readLayered(geometry: Fields, limits: Fields, place: string, report: ImportReport): Volume[] {
  const { type, coordinates } = geometry;
  const layer = geometry.layer ? fieldsOf(geometry.layer) : undefined;
  const { vertical, words } = layer
    ? readLimits(layer, 'layer', place, report)
    : readLimits(limits, 'geometry', place, report);
  if (type === 'Point') {
    const { subType, radius } = fieldsOf(geometry.extent);
    if (subType !== 'Circle') {
      report.problem(place, `is a point with the extent ${shown(geometry.extent)}, where a Circle is needed`);
      return [{ shape: undefined, vertical, words }];
    }
    const circle = readCircle(coordinates, radius, layer ? layer.uom : limits.uomDimensions, place, report);
    return [{ shape: circle.shape, vertical, words: { ...words, ...wordsOf({ radius }, 'extent.'), ...circle.words } }];
  }
  const polygons = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? coordinates : undefined;
  if (!Array.isArray(polygons)) {
    report.problem(
      place,
      `has a geometry of the type ${shown(type)}, which is none of Polygon, MultiPolygon and Point`,
    );
    return [{ shape: undefined, vertical, words }];
  }
  return partsOf(polygons, place, report).map((each, index) => {
    const where = polygons.length > 1 ? `${place}, polygon ${index + 1}` : place;
    const rings = readRings(each, where, report);
    return { shape: rings && { type: 'Polygon', coordinates: rings }, vertical, words };
  });
}

/** The names of limits in a volume of ED-269, and in a layer of ED-318. */
const LIMIT_NAMES = {
  geometry: {
    prefix: '',
    unit: 'uomDimensions',
    lower: 'lowerLimit',
    lowerReference: 'lowerVerticalReference',
    upper: 'upperLimit',
    upperReference: 'upperVerticalReference',
  },
  layer: {
    prefix: 'layer.',
    unit: 'uom',
    lower: 'lower',
    lowerReference: 'lowerReference',
    upper: 'upper',
    upperReference: 'upperReference',
  },
} as const;

/** Reads the limits, with all fields as words. */
function readLimits(
  fields: Fields,
  names: keyof typeof LIMIT_NAMES,
  place: string,
  report: ImportReport,
): ReadVertical {
  const { unit, prefix, lower, lowerReference, upper, upperReference } = LIMIT_NAMES[names];
  const limit = (name: string, reference: string) =>
    readLimit(fields[name], fields[reference], fields[unit], `${place}, ${prefix}${name}`, report);
  const [floor, ceiling] = [limit(lower, lowerReference), limit(upper, upperReference)];
  const isOnGround = typeof floor === 'object' && floor?.field === 'height_agl_m' && floor.m === 0;
  const { vertical, words } = readVertical(isOnGround ? 'ground' : floor, ceiling, place, report);
  return { vertical, words: { ...wordsOf(fields, `${names}.`, FEW_WORDS), ...words } };
}

/** Switzerland publishes this for unlimited heights. */
const UNLIMITED = 99_999;

function readLimit(value: unknown, reference: unknown, unit: unknown, place: string, report: ImportReport): Limit {
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
  const field = plainReference === 'AGL' ? 'height_agl_m' : 'altitude_m';
  return heightLimit(field, statedMetres(value, plainUnit), place, report);
}

/** @param unit of the volume: where it is feet, publishers differ on the radius */
function readCircle(
  centre: unknown,
  radius: unknown,
  unit: unknown,
  place: string,
  report: ImportReport,
): Pick<Volume, 'shape' | 'words'> {
  const position = readPosition(centre, `${place}, centre`, report);
  const isInFeet = textOf(unit).toLowerCase() === 'ft';
  const answer = isInFeet ? report.ask('radius', `${place}: radius ${shown(radius)}`) : 'metres';
  const radius_m = typeof radius === 'number' ? statedMetres(radius, answer === 'feet' ? 'ft' : 'm') : Number.NaN;
  if (!(radius_m >= ZONE_LIMITS.radius_m.min && radius_m <= ZONE_LIMITS.radius_m.max)) {
    report.problem(`${place}, radius`, `is ${shown(radius)}, where 1 m to 500 km is needed`);
    return { shape: undefined, words: {} };
  }
  return {
    shape: position && { type: 'Circle', centre: position, radius_m },
    words: isInFeet ? note('radius', `read as ${answer}`) : {},
  };
}
