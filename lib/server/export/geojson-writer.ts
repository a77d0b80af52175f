import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { boxRing } from '#lib/geo/box-ring.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import { EXPORTED_FIELDS, fieldOf, TRAIL_FIELDS } from './export-columns.ts';
import type { ExportWriter } from './export-item.ts';

/** RFC 7946; areas are cut at 180° (3.1.9). No third coordinate, since the contract states no datum of `altitude_m`. */
export function makeGeojsonWriter(): ExportWriter {
  let isFirst = true;
  const feature = (row: string, geometry: GeoJSON.Geometry, properties: object) => {
    const separator = isFirst ? '' : ',\n';
    isFirst = false;
    return `${separator}${JSON.stringify({ type: 'Feature', geometry, properties: { row, ...properties } })}`;
  };
  return {
    mediaType: 'application/geo+json',
    start({ covered, layers, asOf, window, filter }) {
      const properties = { layers, as_of: asOf, start: window?.start ?? null, end: window?.end ?? null, filter };
      return `{"type":"FeatureCollection","features":[\n${feature('area', areaOf(covered), properties)}`;
    },
    item(item) {
      if (item.kind === 'gap') {
        const { layer, bbox, window, reason } = item;
        const properties = { layer, start: window?.start ?? null, end: window?.end ?? null, reason };
        return feature('gap', areaOf([bbox]), properties);
      }
      const { row, layer, complete, records } = item;
      const fields = row === 'position' ? EXPORTED_FIELDS : TRAIL_FIELDS;
      return records
        .map((record) =>
          feature(
            row,
            { type: 'Point', coordinates: [record.longitude, record.latitude] },
            { layer, ...Object.fromEntries(fields.map((name) => [name, fieldOf(record, name)])), complete },
          ),
        )
        .join('');
    },
    end: () => '\n]}\n',
  };
}

function areaOf(boxes: readonly Bbox[]): GeoJSON.MultiPolygon {
  return { type: 'MultiPolygon', coordinates: boxes.flatMap(splitAtAntimeridian).map((box) => [boxRing(box)]) };
}
