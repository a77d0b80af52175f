import { type Fields, fieldsOf, shown, textOf } from '../reading/fields.ts';
import type { ImportReport } from '../reading/import-report.ts';
import type { ReadFeature } from '../reading/read-zone.ts';
import { type GivenFeature, readFeatures } from './read-features.ts';

const GEOMETRY = /^(Multi)?(Point|LineString|Polygon)$|^GeometryCollection$/;

/** GeoJSON (RFC 7946, and of 2008 with `crs`) defines no heights or times. */
export function readGeojson(document: Fields, report: ImportReport): Iterable<ReadFeature> {
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
