import type { ExpressionSpecification, GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import type { BasemapTheme } from './basemap/basemap-palette.ts';
import { MONO_LABEL_FONT } from './basemap/label-fonts.ts';
import { NO_WATCHED_AREA, type WatchedOutline } from './watched-outline.ts';

const SHADE = 'watched-shade';
const FRAME = 'watched-frame';
const LABELS = 'track-labels';

/** The layer that the marks are inserted before. */
export const BELOW_TRACK_LABELS = LABELS;

/**
 * Tokens of app/globals.css: `frame` is dim, `text` is text, `emergency` is bad, `halo` is background (dark) or surface (light), and
 * the light `shade` is dim. The dark `shade` has no token: it is darker than anything else on the page.
 */
const colours = {
  dark: { shade: '#05080c', frame: '#a3b3c2', text: '#e8eef4', halo: '#0b1118', emergency: '#ff6369' },
  light: { shade: '#475866', frame: '#475866', text: '#101820', halo: '#ffffff', emergency: '#c62a2f' },
} as const;

/** Adds shade, frame and labels above the basemap. Does nothing if the style already has them. */
export function addOverlayLayers(map: MapLibreMap, theme: BasemapTheme): void {
  if (map.getSource(SHADE)) return;
  const colour = colours[theme];
  const nothing = { type: 'FeatureCollection', features: [] } as const;
  map.addSource(SHADE, { type: 'geojson', data: NO_WATCHED_AREA.shade });
  map.addSource(FRAME, { type: 'geojson', data: NO_WATCHED_AREA.frame });
  map.addSource(LABELS, { type: 'geojson', data: { ...nothing, features: [] } });
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
  map.addLayer({
    id: LABELS,
    type: 'symbol',
    source: LABELS,
    layout: {
      'text-field': ['get', 'text'],
      'text-font': [MONO_LABEL_FONT],
      'text-size': 10,
      'text-line-height': 1.25,
      'text-justify': 'auto',
      'text-variable-anchor': [
        'left',
        'right',
        'top-left',
        'bottom-left',
        'top-right',
        'bottom-right',
        'top',
        'bottom',
      ],
      'text-radial-offset': 1.5,
      'text-padding': 3,
      'text-max-width': 40,
      'symbol-sort-key': ['get', 'rank'],
    },
    paint: labelPaint(theme),
  });
}

export function recolourOverlay(map: MapLibreMap, theme: BasemapTheme): void {
  if (!map.getLayer(LABELS)) return;
  map.setPaintProperty(SHADE, 'fill-color', colours[theme].shade);
  map.setPaintProperty(FRAME, 'line-color', colours[theme].frame);
  const paint = labelPaint(theme);
  map.setPaintProperty(LABELS, 'text-color', paint['text-color']);
  map.setPaintProperty(LABELS, 'text-halo-color', paint['text-halo-color']);
}

export function showWatchedArea(map: MapLibreMap, area: WatchedOutline): void {
  map.getSource<GeoJSONSource>(SHADE)?.setData(area.shade);
  map.getSource<GeoJSONSource>(FRAME)?.setData(area.frame);
}

export function showTrackLabels(map: MapLibreMap, labels: GeoJSON.FeatureCollection): void {
  map.getSource<GeoJSONSource>(LABELS)?.setData(labels);
}

function labelPaint(theme: BasemapTheme) {
  const colour = colours[theme];
  const textColour: ExpressionSpecification = ['case', ['get', 'emergency'], colour.emergency, colour.text];
  return { 'text-color': textColour, 'text-halo-color': colour.halo, 'text-halo-width': 1.4 };
}
