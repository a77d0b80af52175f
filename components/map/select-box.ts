import type { Point } from 'maplibre-gl';
import type { Lookout } from '#lib/client/page/lookout-context.tsx';
import { selectInBox } from '#lib/client/page/select-more.ts';
import type { MarksLayer } from './marks/marks-layer.ts';

/** Adds the marks in a box to the selection that was drawn on the map with Shift, from corner to corner in CSS pixels. */
export function selectBox(start: Point, end: Point, lookout: Lookout, marks: Pick<MarksLayer, 'inBox'>): void {
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
