import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { growToGrid } from '#lib/geo/grow-to-grid.ts';
import type { Viewport } from './demand.ts';

/** The planner takes the square of their number. */
const VIEWPORTS_MAX = 500;
/** Halvings of the grid to which boxes are grown until there are few enough of them: from a sixteenth of their span to all of it. */
const HALVINGS = [2, 1, 0, -1, -2] as const;

/** Each distinct box once. Where there are more than the planner can take, boxes are grown to a grid, so that nearby views share one. */
export function foldViewports(viewports: readonly Viewport[], max = VIEWPORTS_MAX): readonly Viewport[] {
  let folded = joined(viewports, ({ bbox }) => bbox);
  for (const halvings of HALVINGS) {
    if (folded.length <= max) break;
    folded = joined(folded, ({ bbox }) => growToGrid(bbox, LIVE_MAX_SPAN_DEG, halvings));
  }
  return folded;
}

function joined(viewports: readonly Viewport[], boxOf: (viewport: Viewport) => Bbox): readonly Viewport[] {
  const byCorners = new Map<string, Viewport>();
  for (const viewport of viewports) {
    const bbox = boxOf(viewport);
    const corners = `${bbox.west} ${bbox.south} ${bbox.east} ${bbox.north}`;
    const same = byCorners.get(corners);
    byCorners.set(corners, same ? together(same, viewport) : { ...viewport, bbox });
  }
  return [...byCorners.values()];
}

function together(one: Viewport, other: Viewport): Viewport {
  const views = new Map(one.views);
  for (const [operator, count] of other.views) views.set(operator, (views.get(operator) ?? 0) + count);
  const unread = new Map(one.unread);
  for (const [operator, place] of other.unread) unread.set(operator, Math.min(place, unread.get(operator) ?? place));
  return { bbox: one.bbox, views, unread, isRead: one.isRead || other.isRead };
}
