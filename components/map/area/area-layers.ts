import type { ExpressionSpecification } from 'maplibre-gl';
import type { Handle } from '#lib/client/area/drawing-state.ts';
import { type Area, areaOutline } from '#lib/geo/area.ts';
import { mapLines } from '#lib/geo/geodesic-lines.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { FeatureLayers } from '../feature-layers.ts';

const SOURCE = 'area';

const colours = {
  dark: { line: '#8cc8ff', casing: '#0b1118' },
  light: { line: '#0a66c2', casing: '#ffffff' },
} as const;

type AreaFeatures = GeoJSON.FeatureCollection<GeoJSON.Geometry, { readonly kind: string }>;

export const AREA_LAYERS: FeatureLayers = {
  source: SOURCE,
  layers(theme) {
    const { line, casing } = colours[theme];
    const isEdge: ExpressionSpecification = ['==', ['get', 'kind'], 'edge'];
    return {
      below: [
        {
          id: 'area-fill',
          type: 'fill',
          source: SOURCE,
          filter: ['==', ['get', 'kind'], 'fill'],
          paint: { 'fill-color': line, 'fill-opacity': 0.1 },
        },
        {
          id: 'area-casing',
          type: 'line',
          source: SOURCE,
          filter: isEdge,
          paint: { 'line-color': casing, 'line-width': 4.5, 'line-opacity': 0.8 },
        },
        {
          id: 'area-edge',
          type: 'line',
          source: SOURCE,
          filter: isEdge,
          paint: { 'line-color': line, 'line-width': 2 },
        },
      ],
      above: [
        {
          id: 'area-handles',
          type: 'circle',
          source: SOURCE,
          filter: ['in', ['get', 'kind'], ['literal', ['handle', 'between']]],
          paint: {
            'circle-radius': ['match', ['get', 'kind'], 'between', 3.5, 6],
            'circle-color': casing,
            'circle-stroke-color': line,
            'circle-stroke-width': ['match', ['get', 'kind'], 'between', 1.25, 2.25],
          },
        },
      ],
    };
  },
};

/** @param isFinished false for a draft, which shows only its edge */
export function areaFeatures(
  area: Area | undefined,
  isFinished: boolean,
  handles: readonly Pick<Handle, 'kind' | 'at'>[],
): AreaFeatures {
  const features: AreaFeatures['features'] = [];
  if (area) {
    const lines = mapLines(areaOutline(area));
    features.push({
      type: 'Feature',
      properties: { kind: 'edge' },
      geometry: { type: 'MultiLineString', coordinates: lines },
    });
    if (isFinished)
      features.push({
        type: 'Feature',
        properties: { kind: 'fill' },
        geometry: { type: 'Polygon', coordinates: lines },
      });
  }
  for (const { kind, at } of handles) features.push(handleFeature(at, kind === 'between' ? 'between' : 'handle'));
  return { type: 'FeatureCollection', features };
}

function handleFeature({ lon, lat }: LonLat, kind: string): AreaFeatures['features'][number] {
  return { type: 'Feature', properties: { kind }, geometry: { type: 'Point', coordinates: [lon, lat] } };
}
