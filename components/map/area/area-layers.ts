import type { ExpressionSpecification, GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import type { Handle } from '#lib/client/area/drawing-state.ts';
import { type Area, areaOutline } from '#lib/geo/area.ts';
import { mapLines } from '#lib/geo/geodesic-lines.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';

const SOURCE = 'area';
const FILL = 'area-fill';
const CASING = 'area-casing';
const EDGE = 'area-edge';
const HANDLES = 'area-handles';

/** Design tokens: focus, background or surface. */
const colours = {
  dark: { line: '#8cc8ff', casing: '#0b1118' },
  light: { line: '#0a66c2', casing: '#ffffff' },
} as const;

type AreaFeatures = GeoJSON.FeatureCollection<GeoJSON.Geometry, { readonly kind: string }>;

/** Adds the area below the layer `belowId`, so that it hides no position, and its handles on top. Does nothing if they are there. */
export function addAreaLayers(map: MapLibreMap, theme: BasemapTheme, belowId: string): void {
  if (map.getSource(SOURCE)) return;
  const { line, casing } = colours[theme];
  const below = map.getLayer(belowId) === undefined ? undefined : belowId;
  map.addSource(SOURCE, { type: 'geojson', tolerance: 0, data: { type: 'FeatureCollection', features: [] } });
  const isEdge: ExpressionSpecification = ['==', ['get', 'kind'], 'edge'];
  map.addLayer(
    {
      id: FILL,
      type: 'fill',
      source: SOURCE,
      filter: ['==', ['get', 'kind'], 'fill'],
      paint: { 'fill-color': line, 'fill-opacity': 0.1 },
    },
    below,
  );
  map.addLayer(
    {
      id: CASING,
      type: 'line',
      source: SOURCE,
      filter: isEdge,
      paint: { 'line-color': casing, 'line-width': 4.5, 'line-opacity': 0.8 },
    },
    below,
  );
  map.addLayer(
    { id: EDGE, type: 'line', source: SOURCE, filter: isEdge, paint: { 'line-color': line, 'line-width': 2 } },
    below,
  );
  map.addLayer({
    id: HANDLES,
    type: 'circle',
    source: SOURCE,
    filter: ['in', ['get', 'kind'], ['literal', ['handle', 'between']]],
    paint: {
      'circle-radius': ['match', ['get', 'kind'], 'between', 3.5, 6],
      'circle-color': casing,
      'circle-stroke-color': line,
      'circle-stroke-width': ['match', ['get', 'kind'], 'between', 1.25, 2.25],
    },
  });
}

export function recolourArea(map: MapLibreMap, theme: BasemapTheme): void {
  if (!map.getLayer(HANDLES)) return;
  const { line, casing } = colours[theme];
  map.setPaintProperty(FILL, 'fill-color', line);
  map.setPaintProperty(CASING, 'line-color', casing);
  map.setPaintProperty(EDGE, 'line-color', line);
  map.setPaintProperty(HANDLES, 'circle-color', casing);
  map.setPaintProperty(HANDLES, 'circle-stroke-color', line);
}

export function showArea(map: MapLibreMap, features: AreaFeatures): void {
  map.getSource<GeoJSONSource>(SOURCE)?.setData(features);
}

/** @param isFinished whether it is filled: a draft shows only its edge */
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
