import { LngLatBounds, type Map as MapLibreMap, type Point } from 'maplibre-gl';
import type { Lookout } from '#lib/client/page/lookout-context.tsx';
import { visibleBbox } from './requested-area.ts';

/** Applies a box that was drawn on the map, from corner to corner in CSS pixels. On a turned map its bounding box is taken. */
export function applyBox(map: MapLibreMap, start: Point, end: Point, { boxTool, filter }: Lookout): void {
  const bounds = new LngLatBounds();
  for (const x of [start.x, end.x]) for (const y of [start.y, end.y]) bounds.extend(map.unproject([x, y]));
  if (boxTool.get() === 'filter') {
    boxTool.set('select');
    filter.set({ ...filter.get(), inside: visibleBbox(bounds) });
    return;
  }
  map.fitBounds(bounds);
}
