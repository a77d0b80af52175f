import type { LayerSpecification, Map as MaplibreMap } from 'maplibre-gl';
import { basemapLayers } from './basemap-layers.ts';
import { type BasemapTheme, basemapPalette } from './basemap-palette.ts';
import { type BasemapOptions, basemapVisibility } from './basemap-style.ts';

type PaintProperty = Parameters<MaplibreMap['setPaintProperty']>[1];

/**
 * Applies another theme or other options to a map whose style came from basemapStyle(), in place: unlike with setStyle(), layers added
 * since, such as the marks, stay. Missing layers are skipped.
 */
export function recolourBasemap(
  map: Pick<MaplibreMap, 'getLayer' | 'setPaintProperty' | 'setLayoutProperty'>,
  theme: BasemapTheme,
  options: BasemapOptions = {},
): void {
  const layers = basemapLayers(basemapPalette(theme, options.dimming), basemapVisibility(options));
  recolourLayers(map, layers);
  for (const layer of layers) {
    if (map.getLayer(layer.id) === undefined) continue;
    map.setLayoutProperty(layer.id, 'visibility', layer.layout?.visibility ?? 'visible');
  }
}

/** Gives layers that are on the map the paint of these, and leaves everything else as it is. */
export function recolourLayers(
  map: Pick<MaplibreMap, 'getLayer' | 'setPaintProperty'>,
  layers: readonly LayerSpecification[],
): void {
  for (const layer of layers) {
    if (map.getLayer(layer.id) === undefined) continue;
    for (const [name, value] of Object.entries(layer.paint ?? {}))
      map.setPaintProperty(layer.id, name as PaintProperty, value);
  }
}
