import type { CustomLayerInterface, Map as MapLibreMap } from 'maplibre-gl';

/**
 * Adds the layer again after every style change: MapLibre can't serialise custom layers, and also drops them with a
 * lost WebGL context (Map._contextLost of 6.17).
 * @param beforeId the layer above it, if the style has it
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
    // While a context is lost there is no style, and so no layer.
    if (map.getLayer(layer.id) !== undefined) map.removeLayer(layer.id);
  };
}
