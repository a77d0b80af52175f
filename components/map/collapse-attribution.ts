import type { Map as MapLibreMap } from 'maplibre-gl';

/** MapLibre expands the attribution until the map moves. */
export function collapseAttribution({ target }: { readonly target: MapLibreMap }): void {
  target.getContainer().querySelector('.maplibregl-ctrl-attrib')?.classList.remove('maplibregl-compact-show');
}
