import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import type { BasemapTheme } from './basemap/basemap-palette.ts';
import { recolourLayers } from './basemap/recolour-basemap.ts';
import { drawFeatures, type FeatureLayers, NO_FEATURES } from './feature-layers.ts';

const SOURCE = 'covered';
/** The lowest layer above any basemap. */
export const BELOW_COVERED_AREA = 'covered-shade';

/** `frame` and the light `shade` are the token dim of app/globals.css. */
const colours = {
  dark: { shade: '#05080c', frame: '#a3b3c2' },
  light: { shade: '#475866', frame: '#475866' },
} as const;

const COVERED_LAYERS: FeatureLayers = {
  source: SOURCE,
  layers: (theme) => ({
    below: [
      {
        id: BELOW_COVERED_AREA,
        type: 'fill',
        source: SOURCE,
        // A closed line would be filled too.
        filter: ['==', ['geometry-type'], 'Polygon'],
        // Antialiased edges of adjoining rectangles would show as lines.
        paint: { 'fill-color': colours[theme].shade, 'fill-opacity': 0.5, 'fill-antialias': false },
      },
      {
        id: 'covered-frame',
        type: 'line',
        source: SOURCE,
        filter: ['==', ['geometry-type'], 'LineString'],
        paint: { 'line-color': colours[theme].frame, 'line-width': 1.5, 'line-dasharray': [6, 3] },
      },
    ],
  }),
};

/** Does nothing if the style already has them. */
export function addCoveredLayers(map: MapLibreMap, theme: BasemapTheme): void {
  if (!map.getSource(SOURCE)) drawFeatures(map, theme, COVERED_LAYERS, NO_FEATURES);
}

export function recolourCoveredArea(map: MapLibreMap, theme: BasemapTheme): void {
  recolourLayers(map, COVERED_LAYERS.layers(theme).below);
}

export function showCoveredArea(map: MapLibreMap, outline: GeoJSON.FeatureCollection): void {
  map.getSource<GeoJSONSource>(SOURCE)?.setData(outline);
}
