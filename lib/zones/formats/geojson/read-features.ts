import type { ZoneShape } from '../../zone.ts';
import { readLine, readPosition, readRings } from '../reading/coordinates.ts';
import { type Fields, fieldsOf, shown, textOf } from '../reading/fields.ts';
import { ImportReport } from '../reading/import-report.ts';
import { partsOf, type ReadFeature } from '../reading/read-zone.ts';
import { shownText, wordsOf } from '../reading/words.ts';
import { isDrawnFrom, OWN_FIELDS, type OwnFields, ownFieldsSchema, withoutId } from './own-fields.ts';

export interface GivenFeature {
  readonly geometry: unknown;
  readonly properties: Fields;
}

const NAMES = ['name', 'title', 'Name', 'NAME'] as const;
/** Simplestyle. */
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
    const words = fields ? {} : wordsOf(wordFields(properties));
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

function wordFields(properties: Fields): Fields {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !STYLE.test(key)));
}

function readOwnFields(value: unknown, place: string, report: ImportReport): OwnFields | undefined {
  const { success, data, error } = ownFieldsSchema.safeParse(value);
  if (success) return data;
  for (const { path, message } of error.issues) report.problem(`${place}, ${[OWN_FIELDS, ...path].join('.')}`, message);
  return undefined;
}

/** `undefined` where unreadable; none where left out. */
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
      return [readPolygon(coordinates, place, report)];
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

/** Lists of nothing, also `[[]]`. */
function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.every(isEmpty);
}

function readPolygon(value: unknown, place: string, report: ImportReport): ZoneShape | undefined {
  const rings = readRings(value, place, report);
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
