import { type Bbox, formatBbox } from '#lib/geo/bbox.ts';
import { boxRing } from '#lib/geo/box-ring.ts';
import type { LayerGap } from './gaps-at.ts';

/** The distinct boxes of the gaps. */
export function gapBoxes(gaps: readonly LayerGap[]): GeoJSON.FeatureCollection<GeoJSON.Polygon> {
  const places = new Map<string, Bbox>(gaps.map(({ gap }) => [formatBbox(gap.bbox), gap.bbox]));
  return {
    type: 'FeatureCollection',
    features: Array.from(places.values(), (bbox) => ({
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: [boxRing(bbox)] },
      properties: {},
    })),
  };
}
