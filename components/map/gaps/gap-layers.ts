import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { LABEL_FONT } from '../basemap/label-fonts.ts';

const BOXES = 'gap-boxes';
const LABELS = 'gap-labels';
const HATCH = 'gap-hatch';
const EDGE = 'gap-edge';

const HATCH_IMAGE_PX = 32;
const HATCH_STRIPE_PX = 3;
/** Image pixels for each CSS pixel. */
const HATCH_PIXEL_RATIO = 2;

/** Design tokens: warning, background. */
const colours = {
  dark: { amber: '#ffb224', rgb: [255, 178, 36], halo: '#0b1118' },
  light: { amber: '#a85f00', rgb: [168, 95, 0], halo: '#ffffff' },
} as const;

/**
 * Adds the layers that show where a replay is incomplete: the boxes below the layer `belowId`, so that they hide no position, and the
 * labels on top, so that other labels make room for them.
 */
export function addGapLayers(map: MapLibreMap, theme: BasemapTheme, belowId: string): void {
  // A lost WebGL context drops the images, and keeps source and layers.
  if (!map.hasImage(HATCH)) map.addImage(HATCH, hatchOf(theme), { pixelRatio: HATCH_PIXEL_RATIO });
  if (map.getSource(BOXES)) return;
  const { amber, halo } = colours[theme];
  const below = map.getLayer(belowId) === undefined ? undefined : belowId;
  for (const id of [BOXES, LABELS]) {
    map.addSource(id, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
  }
  map.addLayer(
    { id: HATCH, type: 'fill', source: BOXES, paint: { 'fill-pattern': HATCH, 'fill-opacity': 0.35 } },
    below,
  );
  map.addLayer(
    {
      id: EDGE,
      type: 'line',
      source: BOXES,
      paint: { 'line-color': amber, 'line-width': 1.5, 'line-dasharray': [4, 2] },
    },
    below,
  );
  map.addLayer({
    id: LABELS,
    type: 'symbol',
    source: LABELS,
    layout: {
      'text-field': ['get', 'text'],
      'text-font': [LABEL_FONT],
      'text-size': 12,
      'text-anchor': 'top-right',
      'text-offset': [-0.6, 0.5],
      'text-max-width': 40,
      // Shown whatever other labels are there.
      'text-allow-overlap': true,
    },
    paint: { 'text-color': amber, 'text-halo-color': halo, 'text-halo-width': 2 },
  });
}

export function recolourGapLayers(map: MapLibreMap, theme: BasemapTheme): void {
  if (!map.getLayer(LABELS)) return;
  const { amber, halo } = colours[theme];
  map.updateImage(HATCH, hatchOf(theme));
  map.setPaintProperty(EDGE, 'line-color', amber);
  map.setPaintProperty(LABELS, 'text-color', amber);
  map.setPaintProperty(LABELS, 'text-halo-color', halo);
}

export function showGapBoxes(map: MapLibreMap, boxes: GeoJSON.FeatureCollection): void {
  map.getSource<GeoJSONSource>(BOXES)?.setData(boxes);
}

export function showGapLabels(map: MapLibreMap, labels: GeoJSON.FeatureCollection): void {
  map.getSource<GeoJSONSource>(LABELS)?.setData(labels);
}

function hatchOf(theme: BasemapTheme) {
  return hatchImage(HATCH_IMAGE_PX, HATCH_STRIPE_PX, colours[theme].rgb);
}

/** A repeating tile: stripes from lower left to upper right, with soft edges, as RGBA rows from the top. */
export function hatchImage(
  sizePx: number,
  stripePx: number,
  [red, green, blue]: readonly [number, number, number],
): { width: number; height: number; data: Uint8Array } {
  const data = new Uint8Array(sizePx * sizePx * 4);
  for (let row = 0; row < sizePx; row++) {
    for (let column = 0; column < sizePx; column++) {
      // Distance to the middle of the stripe: one stripe in each tile, continued by its neighbours.
      const across = Math.abs(((row + column + 1) % sizePx) - sizePx / 2) * Math.SQRT1_2;
      const inside = Math.min(1, Math.max(0, stripePx / 2 - across + 0.5));
      data.set([red, green, blue, Math.round(inside * 255)], (row * sizePx + column) * 4);
    }
  }
  return { width: sizePx, height: sizePx, data };
}
