import { LngLatBounds, type Map as MapLibreMap, type Point } from 'maplibre-gl';
import type { Lookout } from '#lib/client/page/lookout-context.tsx';
import { selectInBox } from '#lib/client/page/select-more.ts';
import type { MarksLayer } from './marks/marks-layer.ts';
import { visibleBbox } from './requested-area.ts';

/**
 * Applies a box that was drawn on the map with Shift, from corner to corner in CSS pixels: it adds the marks in it to the selection, or
 * becomes the area of the filter if that was to be drawn. On a turned map an area is its bounding box.
 */
export function applyBox(
  map: MapLibreMap,
  start: Point,
  end: Point,
  { boxTool, filter, ...lookout }: Lookout,
  marks: Pick<MarksLayer, 'inBox'>,
): void {
  if (boxTool.get() === 'filter') {
    const bounds = new LngLatBounds();
    for (const x of [start.x, end.x]) for (const y of [start.y, end.y]) bounds.extend(map.unproject([x, y]));
    boxTool.set('select');
    filter.set({ ...filter.get(), inside: visibleBbox(bounds) });
    return;
  }
  const box = {
    left: Math.min(start.x, end.x),
    top: Math.min(start.y, end.y),
    right: Math.max(start.x, end.x),
    bottom: Math.max(start.y, end.y),
  };
  const { tracks } = lookout.display;
  selectInBox(
    lookout,
    marks.inBox(box).map((slot) => tracks.refAt(slot)),
  );
}
