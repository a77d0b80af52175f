import type { ExpressionSpecification, GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { LABEL_FONT } from '../basemap/label-fonts.ts';
import type { MeasuringProperties } from './measuring-features.ts';

const SOURCE = 'measuring';
const CASING = 'measuring-casing';
const LINES = 'measuring-lines';
const OLD_LINES = 'measuring-old-lines';
const POINTS = 'measuring-points';
const LABELS = 'measuring-labels';

/** Design tokens: focus, background or surface. */
const colours = {
  dark: { line: '#8cc8ff', casing: '#0b1118' },
  light: { line: '#0a66c2', casing: '#ffffff' },
} as const;

const ofKind = (...kinds: MeasuringProperties['kind'][]): ExpressionSpecification => [
  'in',
  ['get', 'kind'],
  ['literal', kinds],
];

/**
 * Adds lines and points below the layer `belowId`, so that they hide no position, and the labels on top. Does nothing if they are
 * there.
 */
export function addMeasuringLayers(map: MapLibreMap, theme: BasemapTheme, belowId: string): void {
  if (map.getSource(SOURCE)) return;
  const { line, casing } = colours[theme];
  const below = map.getLayer(belowId) === undefined ? undefined : belowId;
  const width: ExpressionSpecification = ['match', ['get', 'kind'], 'leg', 2, 1.25];
  const layout = { 'line-cap': 'round', 'line-join': 'round' } as const;
  // Without simplification, which would make polygons of rings.
  map.addSource(SOURCE, { type: 'geojson', tolerance: 0, data: { type: 'FeatureCollection', features: [] } });
  map.addLayer(
    {
      id: CASING,
      type: 'line',
      source: SOURCE,
      filter: ofKind('leg', 'ring'),
      layout,
      paint: { 'line-color': casing, 'line-width': ['+', 2.5, width], 'line-opacity': 0.8 },
    },
    below,
  );
  map.addLayer(
    {
      id: LINES,
      type: 'line',
      source: SOURCE,
      filter: ['all', ofKind('leg', 'ring'), ['!', ['get', 'old']]],
      layout,
      paint: { 'line-color': line, 'line-width': width },
    },
    below,
  );
  map.addLayer(
    {
      id: OLD_LINES,
      type: 'line',
      source: SOURCE,
      filter: ['all', ofKind('leg', 'ring'), ['get', 'old']],
      paint: { 'line-color': line, 'line-width': width, 'line-dasharray': [1.5, 2.5] },
    },
    below,
  );
  map.addLayer(
    {
      id: POINTS,
      type: 'circle',
      source: SOURCE,
      filter: ofKind('point'),
      paint: { 'circle-radius': 4, 'circle-color': line, 'circle-stroke-color': casing, 'circle-stroke-width': 1.5 },
    },
    below,
  );
  map.addLayer({
    id: LABELS,
    type: 'symbol',
    source: SOURCE,
    filter: ofKind('leg-label', 'ring-label', 'point-label'),
    layout: {
      'text-field': ['get', 'text'],
      'text-font': [LABEL_FONT],
      'text-size': 11,
      'text-line-height': 1.25,
      'text-anchor': ['match', ['get', 'kind'], 'point-label', 'bottom-right', 'center'],
      'text-offset': ['match', ['get', 'kind'], 'point-label', ['literal', [-0.7, -0.5]], ['literal', [0, 0]]],
      // What was measured is shown, whatever other labels are there.
      'text-allow-overlap': true,
    },
    paint: { 'text-color': line, 'text-halo-color': casing, 'text-halo-width': 2 },
  });
}

export function recolourMeasuring(map: MapLibreMap, theme: BasemapTheme): void {
  if (!map.getLayer(LABELS)) return;
  const { line, casing } = colours[theme];
  map.setPaintProperty(CASING, 'line-color', casing);
  for (const id of [LINES, OLD_LINES]) map.setPaintProperty(id, 'line-color', line);
  map.setPaintProperty(POINTS, 'circle-color', line);
  map.setPaintProperty(POINTS, 'circle-stroke-color', casing);
  map.setPaintProperty(LABELS, 'text-color', line);
  map.setPaintProperty(LABELS, 'text-halo-color', casing);
}

export function showMeasuring(map: MapLibreMap, features: GeoJSON.FeatureCollection): void {
  map.getSource<GeoJSONSource>(SOURCE)?.setData(features);
}
