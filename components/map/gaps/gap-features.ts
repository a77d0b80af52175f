import { type Bbox, formatBbox, lonSpanDeg } from '#lib/geo/bbox.ts';
import { boxRing } from '#lib/geo/box-ring.ts';
import type { Layer } from '#lib/model/position.ts';
import type { LayerGap } from './gaps-at.ts';

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

export interface GapLabelProperties {
  readonly text: string;
}

const TEXT = {
  adsb: 'Aircraft incomplete',
  rid: 'Drones incomplete',
  both: 'Aircraft and drones incomplete',
} as const;

export function gapLabels(
  gaps: readonly LayerGap[],
  visible: Bbox,
): GeoJSON.FeatureCollection<GeoJSON.Point, GapLabelProperties> {
  const corners = new Map<string, { at: GeoJSON.Position; layers: Set<Layer> }>();
  for (const { layer, gap } of gaps) {
    const at = visibleCorner(gap.bbox, visible);
    if (!at) continue;
    const corner = corners.get(at.join()) ?? { at, layers: new Set() };
    corner.layers.add(layer);
    corners.set(at.join(), corner);
  }
  return {
    type: 'FeatureCollection',
    features: Array.from(corners.values(), ({ at, layers }) => {
      const [first] = layers;
      return {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: at },
        properties: { text: TEXT[layers.size === 2 || !first ? 'both' : first] },
      };
    }),
  };
}

/** The north-eastern corner of the intersection; `undefined` if it is empty. */
function visibleCorner(bbox: Bbox, visible: Bbox): GeoJSON.Position | undefined {
  const north = Math.min(bbox.north, visible.north);
  if (north <= Math.max(bbox.south, visible.south)) return undefined;
  const visibleEast = visible.west + lonSpanDeg(visible);
  for (const offsetDeg of [-360, 0, 360]) {
    const west = bbox.west + offsetDeg;
    const east = Math.min(west + lonSpanDeg(bbox), visibleEast);
    if (east > Math.max(west, visible.west)) return [east, north];
  }
  return undefined;
}
