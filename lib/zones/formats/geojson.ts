import * as z from 'zod/mini';
import { RULE_LIMITS, type Rule, ruleSchema } from '../rule.ts';
import { hoursSchema, shapeSchema, sourceSchema, verticalSchema, ZONE_FORMATS, type ZoneShape } from '../zone.ts';
import { drawnGeometry } from './drawn-geometry.ts';
import { type ExportedZone, ImportReport, partsOf, type ReadFeature, type ZoneFormat } from './import-report.ts';
import {
  type Fields,
  fieldsOf,
  type LonLatPair,
  readLine,
  readPosition,
  readRings,
  shown,
  shownText,
  textOf,
  wordsOf,
} from './read-values.ts';

/** RFC 7946, and of 2008 with `crs`. It defines no heights or times; exports of Lookout have them in a field of its own. */
export const GEOJSON: ZoneFormat = {
  ...ZONE_FORMATS.geojson,
  syntax: 'json',
  read: ({ document, features }, { report }) =>
    readDocument(features === undefined ? document : { ...document, features }, report),
  write: writeGeojson,
};

const GEOMETRY = /^(Multi)?(Point|LineString|Polygon)$|^GeometryCollection$/;

function readDocument(document: Fields, report: ImportReport): Iterable<ReadFeature> {
  if (document.type === 'Feature') return readFeatures(givenFeatures([document], report), 'Feature', report);
  if (GEOMETRY.test(textOf(document.type))) {
    reportCrs(document, 'The file', report);
    return readFeatures([{ geometry: document, properties: {} }], 'Feature', report);
  }
  reportCrs(document, 'The file', report);
  // Some programs write a list of features without the collection's type.
  const { type = 'FeatureCollection', features } = document;
  if (type === 'FeatureCollection' && Array.isArray(features))
    return readFeatures(givenFeatures(features, report), 'Feature', report);
  report.problem('The file', whyNone(document));
  return [];
}

function whyNone({ type }: Fields): string {
  if (type === 'Topology') return 'is TopoJSON; convert it to GeoJSON';
  if (type === 'FeatureCollection') return 'is a collection without features';
  return `is JSON, but no GeoJSON: its type is ${shown(type)}, where FeatureCollection, Feature or a geometry is needed`;
}

function* givenFeatures(features: readonly unknown[], report: ImportReport): Generator<GivenFeature> {
  for (const [index, feature] of features.entries()) {
    const place = `Feature ${index + 1}`;
    const { type, geometry, properties, crs } = fieldsOf(feature);
    if (crs !== undefined) reportCrs({ crs }, place, report);
    // Its geometry would be another problem of the same cause.
    if (type === 'Feature') yield { geometry, properties: fieldsOf(properties) };
    else report.problem(place, `has the type ${shown(type)}, not "Feature"`);
  }
}

/** GeoJSON of 2008 names the coordinate system; without one it is WGS 84. */
function reportCrs({ crs }: Fields, place: string, report: ImportReport): void {
  if (crs === undefined || crs === null) return;
  const { type, properties } = fieldsOf(crs);
  const name = type === 'name' ? textOf(fieldsOf(properties).name) : '';
  if (/(\bCRS:?84|EPSG:.*\b(4326|4979))$/i.test(name.slice(0, 200))) return;
  if (/EPSG:.*\b(4258|4269)$/i.test(name.slice(0, 200)))
    report.change(place, `states the coordinate system ${name}, which is read as WGS 84: they differ by at most 2 m`);
  else
    report.problem(
      place,
      `states the coordinate system ${name === '' ? shown(crs) : name.slice(0, 60)}; save the file in WGS 84 (EPSG:4326)`,
    );
}

/** A feature of GeoJSON, or a placemark of KML as one. */
export interface GivenFeature {
  readonly geometry: unknown;
  readonly properties: Fields;
}

const NAMES = ['name', 'title', 'Name', 'NAME'] as const;
/** Names of simplestyle, which say how to draw a feature. */
const STYLE = /^(stroke|fill|marker)(-|$)/;

/** @param what the name of an item, such as `Feature` */
export function* readFeatures(
  features: Iterable<GivenFeature>,
  what: string,
  report: ImportReport,
): Generator<ReadFeature> {
  let index = 0;
  for (const { geometry, properties } of features) {
    const own = new ImportReport(report.answers);
    const name = NAMES.map((key) => shownText(properties[key])).find((text) => text !== '') ?? '';
    const place = `${what} ${index + 1}${name === '' ? '' : ` “${name.slice(0, 60)}”`}`;
    const fields = properties[OWN_FIELDS] === undefined ? undefined : readOwnFields(properties[OWN_FIELDS], place, own);
    const shapes =
      fields && isDrawnFrom(fields.shape, geometry) ? [fields.shape] : readShapes(geometry, fields, place, own);
    const words = fields ? {} : wordsOf(withoutStyle(properties));
    const zones = shapes.map((shape) => ({
      name: name || place,
      shape,
      vertical: fields?.vertical ?? null,
      hours: fields?.hours ?? null,
      rules: fields?.rules.map(withoutId) ?? [],
      words,
      ...(fields && { source: fields.source }),
    }));
    yield { place, report: own, zones };
    index += 1;
  }
}

function withoutStyle(properties: Fields): Fields {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !STYLE.test(key)));
}

function readOwnFields(value: unknown, place: string, report: ImportReport): OwnFields | undefined {
  const { success, data, error } = ownFieldsSchema.safeParse(value);
  if (success) return data;
  for (const { path, message } of error.issues) report.problem(`${place}, ${[OWN_FIELDS, ...path].join('.')}`, message);
  return undefined;
}

/** `undefined` for a shape that can’t be read, after a report; no shape where the geometry is left out. */
function readShapes(
  geometry: unknown,
  fields: OwnFields | undefined,
  place: string,
  report: ImportReport,
): (ZoneShape | undefined)[] {
  const { type, coordinates, geometries } = fieldsOf(geometry);
  const parts = (value: unknown, each: (part: unknown, where: string) => (ZoneShape | undefined)[]) => {
    if (!Array.isArray(value)) {
      report.problem(place, `is a ${textOf(type)} without parts`);
      return [undefined];
    }
    return partsOf(value, place, report).flatMap((part, at) =>
      each(part, value.length > 1 ? `${place}, part ${at + 1}` : place),
    );
  };
  // Both are valid, and the same (RFC 7946, 3.1 and 3.2).
  if (geometry === null || isEmpty(type === 'GeometryCollection' ? geometries : coordinates)) {
    report.leaveOut(
      place,
      geometry === null ? 'has no geometry' : `has a ${textOf(type) || 'geometry'} without positions`,
    );
    return [];
  }
  switch (type) {
    case 'Polygon':
      return [polygonOf(readRings(coordinates, place, report))];
    case 'MultiPolygon':
      return parts(coordinates, (rings, where) =>
        readShapes({ type: 'Polygon', coordinates: rings }, fields, where, report),
      );
    case 'LineString':
      return readCorridor(coordinates, fields, place, report);
    case 'MultiLineString':
      return parts(coordinates, (line, where) =>
        readShapes({ type: 'LineString', coordinates: line }, fields, where, report),
      );
    case 'Point':
      return readCircle(coordinates, place, report);
    case 'MultiPoint':
      return parts(coordinates, (point, where) =>
        readShapes({ type: 'Point', coordinates: point }, fields, where, report),
      );
    case 'GeometryCollection':
      return parts(geometries, (part, where) => readShapes(part, fields, where, report));
    default:
      report.problem(place, type === undefined ? 'has no geometry' : `has a geometry of the type ${shown(type)}`);
      return [undefined];
  }
}

/** Whether a list has no positions, also `[[]]`. */
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.every(isEmpty);
}

function polygonOf(rings: LonLatPair[][] | undefined): ZoneShape | undefined {
  return rings && { type: 'Polygon', coordinates: rings };
}

function readCorridor(
  value: unknown,
  fields: OwnFields | undefined,
  place: string,
  report: ImportReport,
): (ZoneShape | undefined)[] {
  const line = readLine(value, 2, place, report);
  // An edited line of an exported corridor keeps its width.
  const knownM = fields?.shape.type === 'Corridor' ? fields.shape.half_width_m : undefined;
  const isRing = line && line.length > 3 && String(line[0]) === String(line.at(-1));
  if (isRing && knownM === undefined) {
    const answer = report.ask('closed_lines', place);
    if (answer === 'area') return [{ type: 'Polygon', coordinates: [line] }];
    if (answer === undefined) return [{ type: 'Corridor', line, half_width_m: 1 }];
  }
  const halfWidthM = knownM ?? report.ask('lines', place);
  if (halfWidthM === 'leave_out') {
    report.leaveOut(place, 'is a line, left out as you chose');
    return [];
  }
  return [line && { type: 'Corridor', line, half_width_m: halfWidthM ?? 1 }];
}

function readCircle(value: unknown, place: string, report: ImportReport): (ZoneShape | undefined)[] {
  const centre = readPosition(value, place, report);
  const radiusM = report.ask('points', place);
  if (radiusM === 'leave_out') {
    report.leaveOut(place, 'is a point, left out as you chose');
    return [];
  }
  return [centre && { type: 'Circle', centre, radius_m: radiusM ?? 1 }];
}

/** The property with what GeoJSON and KML can’t say about a zone of Lookout. */
export const OWN_FIELDS = 'lookout_zone';

/** Storing six decimals moves a position by up to this. */
const MOVED_DEG = 2e-6;

const ownFieldsSchema = z.strictObject({
  shape: shapeSchema,
  vertical: verticalSchema,
  hours: hoursSchema,
  rules: z.array(ruleSchema).check(z.maxLength(RULE_LIMITS.rules)),
  source: sourceSchema,
});
type OwnFields = z.infer<typeof ownFieldsSchema>;

export function ownFieldsOf({ shape, vertical, hours, rules, source }: ExportedZone): OwnFields {
  return { shape, vertical, hours, rules: rules.map(withoutId), source };
}

/** An imported rule is a new one. */
function withoutId({ id: _, ...rule }: Rule): Rule {
  return rule as Rule;
}

/** Whether the geometry is the one that Lookout wrote for the shape. Otherwise another program edited it. */
export function isDrawnFrom(shape: OwnFields['shape'], geometry: unknown): boolean {
  const { type, coordinates } = (geometry ?? {}) as { type?: unknown; coordinates?: unknown };
  const drawn = drawnGeometry(shape);
  return type === drawn.type && isNear(drawn.coordinates, coordinates);
}

type Nested = number | LonLatPair[] | LonLatPair[][] | LonLatPair[][][] | LonLatPair;

function isNear(drawn: Nested, found: unknown): boolean {
  if (typeof drawn === 'number') return typeof found === 'number' && Math.abs(found - drawn) <= MOVED_DEG;
  if (!Array.isArray(found)) return false;
  // A third number is another program's height.
  const isPosition = typeof drawn[0] === 'number';
  if (isPosition ? found.length < drawn.length : found.length !== drawn.length) return false;
  return drawn.every((part, index) => isNear(part, found[index]));
}

export const ZONE_COLOUR = '#d97706';

/** Writes RFC 7946 with simplestyle 1.1.0. */
export function writeGeojson(zones: readonly ExportedZone[]): string {
  const features = zones.map((zone) =>
    JSON.stringify({
      type: 'Feature',
      properties: {
        name: zone.name,
        stroke: ZONE_COLOUR,
        'stroke-width': 2,
        fill: ZONE_COLOUR,
        'fill-opacity': 0.1,
        [OWN_FIELDS]: ownFieldsOf(zone),
      },
      geometry: drawnGeometry(zone.shape),
    }),
  );
  return `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}\n`;
}
