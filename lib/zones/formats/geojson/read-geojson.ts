import { type Fields, fieldsOf, shown } from '../reading/fields.ts';
import type { ImportReport } from '../reading/import-report.ts';
import type { ReadFeature } from '../reading/read-zone.ts';
import { type GivenFeature, readFeatures } from './read-features.ts';

/** GeoJSON defines no heights or times. */
export function readGeojson(document: Fields, report: ImportReport): Iterable<ReadFeature> {
  switch (document.type) {
    case 'FeatureCollection':
      if (Array.isArray(document.features))
        return readFeatures(givenFeatures(document.features, report), 'Feature', report);
      report.problem('The file', 'is a collection without features');
      return [];
    case 'Feature':
      return readFeatures(givenFeatures([document], report), 'Feature', report);
    case 'Topology':
      report.problem('The file', 'is TopoJSON; convert it to GeoJSON');
      return [];
    default:
      return readFeatures([{ geometry: document, properties: {} }], 'Feature', report);
  }
}

function* givenFeatures(features: readonly unknown[], report: ImportReport): Generator<GivenFeature> {
  for (const [index, feature] of features.entries()) {
    const { type, geometry, properties } = fieldsOf(feature);
    if (type !== 'Feature') report.problem(`Feature ${index + 1}`, `has the type ${shown(type)}, not "Feature"`);
    yield { geometry, properties: fieldsOf(properties) };
  }
}
