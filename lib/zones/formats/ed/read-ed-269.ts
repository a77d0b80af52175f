import { readRings } from '../reading/coordinates.ts';
import { type Fields, fieldsOf, shown } from '../reading/fields.ts';
import { ImportReport } from '../reading/import-report.ts';
import { partsOf, type ReadFeature } from '../reading/read-zone.ts';
import { FEW_WORDS, wordsOf } from '../reading/words.ts';
import { type EdVolume, edFeature, edPlace } from './ed-feature.ts';
import { edCircle, edVertical } from './ed-volume.ts';

/** Its `geometry` is a list of volumes. */
export function isEd269(features: readonly unknown[]): boolean {
  return features.some((feature) => Array.isArray(fieldsOf(feature).geometry));
}

/** EUROCAE ED-269, by files of Luxembourg, Finland and Switzerland. */
export function* readEd269(
  features: readonly unknown[],
  document: Fields,
  importedAt: string,
  report: ImportReport,
): Generator<ReadFeature> {
  const documentWords = wordsOf(document, 'document.', FEW_WORDS);
  for (const [index, feature] of features.entries()) {
    const own = new ImportReport(report.answers);
    const { geometry, ...fields } = fieldsOf(feature);
    const place = edPlace(fields, index);
    const volumes = partsOf(geometry, place, own).map((volume, at) =>
      readVolume(fieldsOf(volume), `${place}, geometry ${at + 1}`, own),
    );
    yield edFeature(fields, volumes, { place, importedAt, documentWords }, own);
  }
}

function readVolume(volume: Fields, place: string, report: ImportReport): EdVolume {
  const { horizontalProjection, ...limits } = volume;
  const { type, coordinates, center, centre = center, radius } = fieldsOf(horizontalProjection);
  const { vertical, words } = edVertical(
    {
      unit: volume.uomDimensions,
      lower: volume.lowerLimit,
      lowerReference: volume.lowerVerticalReference,
      upper: volume.upperLimit,
      upperReference: volume.upperVerticalReference,
    },
    { lower: 'lowerLimit', upper: 'upperLimit' },
    place,
    report,
  );
  const volumeWords = { ...wordsOf(limits, 'geometry.', FEW_WORDS), ...words };
  const where = `${place}, horizontalProjection`;
  if (type === 'Circle') {
    const circle = edCircle(centre, radius, volume.uomDimensions, where, report);
    return {
      shape: circle.shape,
      vertical,
      words: { ...volumeWords, ...wordsOf({ radius }, 'geometry.'), ...circle.words },
    };
  }
  if (type !== 'Polygon') report.problem(where, `has the type ${shown(type)}, which is neither Polygon nor Circle`);
  const rings = type === 'Polygon' ? readRings(ringsOf(coordinates), where, report) : undefined;
  return { shape: rings && { type: 'Polygon', coordinates: rings }, vertical, words: volumeWords };
}

/** Some files omit the list around a single ring. */
function ringsOf(coordinates: unknown): unknown {
  const isRing = Array.isArray(coordinates) && Array.isArray(coordinates[0]) && typeof coordinates[0][0] === 'number';
  return isRing ? [coordinates] : coordinates;
}
