import type { LayerSpecification, Map as MaplibreMap } from 'maplibre-gl';
import { basemapLayers } from './basemap-layers.ts';
import { type BasemapTheme, basemapPalette } from './basemap-palette.ts';
import { type BasemapOptions, basemapVisibility } from './basemap-style.ts';

type PaintProperty = Parameters<MaplibreMap['setPaintProperty']>[1];

/** In place: unlike with setStyle(), layers added since stay. Skips missing layers. */
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

/** Sets only paint, on layers that the map has. */
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
