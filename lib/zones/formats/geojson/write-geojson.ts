import { drawnGeometry } from './drawn-geometry.ts';
import { type ExportedZone, OWN_FIELDS, ownFieldsOf } from './own-fields.ts';

export const ZONE_COLOUR = '#d97706';

/** RFC 7946 with simplestyle 1.1.0. */
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
