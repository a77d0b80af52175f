import { readRings } from '../reading/coordinates.ts';
import { type Fields, fieldsOf, shown } from '../reading/fields.ts';
import { ImportReport } from '../reading/import-report.ts';
import { partsOf, type ReadFeature } from '../reading/read-zone.ts';
import { FEW_WORDS, wordsOf } from '../reading/words.ts';
import { type EdVolume, edFeature, edPlace } from './ed-feature.ts';
import { edCircle, edVertical } from './ed-volume.ts';

export function isEd318(features: readonly unknown[]): boolean {
  return features.some((feature) => {
    const geometry = fieldsOf(fieldsOf(feature).geometry);
    const properties = fieldsOf(fieldsOf(feature).properties);
    const parts = Array.isArray(geometry.geometries) ? geometry.geometries.map(fieldsOf) : [];
    const isLayered = [geometry, ...parts].some(({ layer, extent }) => layer !== undefined || extent !== undefined);
    return isLayered || ['identifier', 'country', 'zoneAuthority'].every((name) => properties[name] !== undefined);
  });
}

/** EUROCAE ED-318, and ED-269 names within the properties, as in Estonia's file. */
export function* readEd318(
  features: readonly unknown[],
  document: Fields,
  importedAt: string,
  report: ImportReport,
): Generator<ReadFeature> {
  const documentWords = wordsOf(document, 'document.', FEW_WORDS);
  for (const [index, feature] of features.entries()) {
    const own = new ImportReport(report.answers);
    const { geometry, properties } = fieldsOf(feature);
    const { geometry: limits, ...fields } = fieldsOf(properties);
    const place = edPlace(fields, index);
    if (geometry === null) {
      // Valid in GeoJSON, on which ED-318 builds.
      own.leaveOut(place, 'has no geometry');
      yield { place, report: own, zones: [] };
      continue;
    }
    const volumes = readGeometry(fieldsOf(geometry), fieldsOf(limits), place, own);
    yield edFeature(fields, volumes, { place, importedAt, documentWords }, own);
  }
}

function readGeometry(geometry: Fields, limits: Fields, place: string, report: ImportReport): EdVolume[] {
  if (geometry.type !== 'GeometryCollection') return readLayered(geometry, limits, place, report);
  return partsOf(geometry.geometries, place, report).flatMap((part, index) => {
    if (part === null) {
      report.leaveOut(`${place}, geometry ${index + 1}`, 'has no geometry');
      return [];
    }
    const own = fieldsOf(part);
    const withLayer = { ...own, layer: own.layer ?? geometry.layer };
    return readLayered(withLayer, limits, `${place}, geometry ${index + 1}`, report);
  });
}

function readLayered(geometry: Fields, limits: Fields, place: string, report: ImportReport): EdVolume[] {
  const { type, coordinates } = geometry;
  const layer = geometry.layer ? fieldsOf(geometry.layer) : undefined;
  const unit = layer ? layer.uom : limits.uomDimensions;
  const read = layer
    ? edVertical(
        {
          unit,
          lower: layer.lower,
          lowerReference: layer.lowerReference,
          upper: layer.upper,
          upperReference: layer.upperReference,
        },
        { lower: 'layer.lower', upper: 'layer.upper' },
        place,
        report,
      )
    : edVertical(
        {
          unit,
          lower: limits.lowerLimit,
          lowerReference: limits.lowerVerticalReference,
          upper: limits.upperLimit,
          upperReference: limits.upperVerticalReference,
        },
        { lower: 'lowerLimit', upper: 'upperLimit' },
        place,
        report,
      );
  const { vertical } = read;
  const words = { ...wordsOf(layer ?? limits, layer ? 'layer.' : 'geometry.', FEW_WORDS), ...read.words };
  if (type === 'Point') {
    const { subType, radius } = fieldsOf(geometry.extent);
    if (subType !== 'Circle') {
      report.problem(place, `is a point with the extent ${shown(geometry.extent)}, where a Circle is needed`);
      return [{ shape: undefined, vertical, words }];
    }
    const circle = edCircle(coordinates, radius, unit, place, report);
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
