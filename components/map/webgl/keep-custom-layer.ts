import type { CustomLayerInterface, Map as MapLibreMap } from 'maplibre-gl';

/**
 * Adds the layer, and adds it again whenever the map has a new style without it. MapLibre can't serialise custom layers: a
 * lost WebGL context and a change of style both rebuild the style and drop them (Map._contextLost of 6.17).
 *
 * `beforeId` is the layer to lie under; where the style has no such layer, it lies on top. Returns what takes the layer
 * off for good.
 */
export function keepCustomLayer(map: MapLibreMap, layer: CustomLayerInterface, beforeId?: string): () => void {
  const add = () => {
    if (map.getLayer(layer.id) !== undefined) return;
    map.addLayer(layer, beforeId !== undefined && map.getLayer(beforeId) !== undefined ? beforeId : undefined);
  };
  map.on('style.load', add);
  // isStyleLoaded() also waits for tiles; a style that can be read can take a layer.
  if (map.getStyle() !== undefined) add();
  return () => {
    map.off('style.load', add);
    // While a context is lost there is no style, and no layer in it.
    if (map.getLayer(layer.id) !== undefined) map.removeLayer(layer.id);
  };
}
