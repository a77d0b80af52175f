import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import type { BasemapTheme } from './basemap/basemap-palette.ts';
import { type CoveredOutline, NO_OUTLINE } from './covered-outline.ts';

const SHADE = 'covered-shade';
/** The lowest layer that is no part of any basemap. */
export const BELOW_WATCHED_AREA = SHADE;
const FRAME = 'covered-frame';
/** `frame` is the token dim of app/globals.css, as is the light `shade`. The dark `shade` has no token: it is darker than anything else. */
const colours = {
  dark: { shade: '#05080c', frame: '#a3b3c2' },
  light: { shade: '#475866', frame: '#475866' },
} as const;

/** Adds shade and frame above the basemap. Does nothing if the style already has them. */
export function addOverlayLayers(map: MapLibreMap, theme: BasemapTheme): void {
  if (map.getSource(SHADE)) return;
  const colour = colours[theme];
  map.addSource(SHADE, { type: 'geojson', data: NO_OUTLINE.shade });
  map.addSource(FRAME, { type: 'geojson', data: NO_OUTLINE.frame });
  map.addLayer({
    id: SHADE,
    type: 'fill',
    source: SHADE,
    // Antialiased edges of adjoining rectangles would overlap and show as lines.
    paint: { 'fill-color': colour.shade, 'fill-opacity': 0.5, 'fill-antialias': false },
  });
  map.addLayer({
    id: FRAME,
    type: 'line',
    source: FRAME,
    paint: { 'line-color': colour.frame, 'line-width': 1.5, 'line-dasharray': [6, 3] },
  });
}

export function recolourOverlay(map: MapLibreMap, theme: BasemapTheme): void {
  if (!map.getLayer(SHADE)) return;
  map.setPaintProperty(SHADE, 'fill-color', colours[theme].shade);
  map.setPaintProperty(FRAME, 'line-color', colours[theme].frame);
}

export function showCoveredArea(map: MapLibreMap, area: CoveredOutline): void {
  map.getSource<GeoJSONSource>(SHADE)?.setData(area.shade);
  map.getSource<GeoJSONSource>(FRAME)?.setData(area.frame);
}
