import type { Map as MapLibreMap } from 'maplibre-gl';

/**
 * Draws now, and again whenever the map loads a style: a new one has nothing of ours in it, and after a lost graphics context the map loads its
 * own again.
 * @returns stops it
 */
export function onEveryStyle(map: MapLibreMap, draw: () => void): () => void {
  draw();
  map.on('style.load', draw);
  return () => {
    map.off('style.load', draw);
  };
}
