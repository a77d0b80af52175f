import type { CustomLayerInterface, Map as MapLibreMap } from 'maplibre-gl';

/**
 * Adds the layer, and adds it again whenever the map gets a style without it. MapLibre can't serialise custom layers: a lost WebGL
 * context and a change of style both rebuild the style and drop them (Map._contextLost of 6.17).
 * @param beforeId the layer to lie under; if the style has no such layer, the layer goes on top
 * @returns removes the layer for good
 */
export function restoreCustomLayer(map: MapLibreMap, layer: CustomLayerInterface, beforeId?: string): () => void {
  const add = () => {
    if (map.getLayer(layer.id) !== undefined) return;
    map.addLayer(layer, beforeId !== undefined && map.getLayer(beforeId) !== undefined ? beforeId : undefined);
  };
  map.on('style.load', add);
  // isStyleLoaded() also waits for tiles; a readable style is enough to add a layer.
  if (map.getStyle() !== undefined) add();
  return () => {
    map.off('style.load', add);
    // There is no style, and so no layer, while a context is lost.
    if (map.getLayer(layer.id) !== undefined) map.removeLayer(layer.id);
  };
}
