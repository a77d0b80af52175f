import type { Map as MapLibreMap } from 'maplibre-gl';
import type { MapPixels } from '#lib/client/page/map-commands.ts';
import { scaleBar } from './scale/scale-bar.ts';

/**
 * Copies what the map shows. It is drawn for that and copied at once: a WebGL canvas is empty after its frame, and keeping it for the
 * sake of pictures would cost every frame. `undefined` while the graphics context is lost.
 */
export function readMapPixels(map: MapLibreMap): MapPixels | undefined {
  map.redraw();
  const drawn = map.getCanvas();
  const canvas = document.createElement('canvas');
  canvas.width = drawn.width;
  canvas.height = drawn.height;
  const context = canvas.getContext('2d');
  if (!context || drawn.getContext('webgl2')?.isContextLost()) return undefined;
  context.drawImage(drawn, 0, 0);
  return {
    canvas,
    pixelRatio: drawn.width / Math.max(1, drawn.clientWidth),
    attribution: map.getContainer().querySelector('.maplibregl-ctrl-attrib-inner')?.textContent?.trim() ?? '',
    scale: scaleBar(map.getCenter().lat, map.getZoom(), 'nautical'),
    at: (lon, lat) => map.project([lon + Math.round((map.getCenter().lng - lon) / 360) * 360, lat]),
  };
}
