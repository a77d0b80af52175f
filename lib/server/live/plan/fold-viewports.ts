import 'server-only';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, bboxCovers, bboxSizeDeg2 } from '#lib/geo/bbox.ts';
import { growToGrid } from '#lib/geo/grow-to-grid.ts';
import type { Viewport } from './demand.ts';

/** The planner takes the square of their number; `servers-views` plans this many in less than 50 ms. */
const VIEWPORTS_MAX = 500;
const HALVINGS = [0, -1, -2] as const;

/** Above `max`, boxes are grown to a grid, then counted as an outer one. */
export function foldViewports(viewports: readonly Viewport[], max = VIEWPORTS_MAX): readonly Viewport[] {
  let folded = joined(viewports, ({ bbox }) => bbox);
  for (const halvings of HALVINGS) {
    if (folded.length <= max) break;
    const grown = joined(folded, ({ bbox }) => growToGrid(bbox, LIVE_MAX_SPAN_DEG, halvings));
    folded = grown.length <= max ? grown : insideOthers(grown);
  }
  return folded;
}

/** Shares the maps of its only viewport until another one joins. */
interface Joined {
  readonly bbox: Bbox;
  views: ReadonlyMap<string, number>;
  unread: ReadonlyMap<string, number>;
  isRead: boolean;
  own: { readonly views: Map<string, number>; readonly unread: Map<string, number> } | undefined;
}

function joined(viewports: readonly Viewport[], boxOf: (viewport: Viewport) => Bbox): readonly Viewport[] {
  const byCorners = new Map<string, Joined>();
  for (const viewport of viewports) {
    const bbox = boxOf(viewport);
    const corners = `${bbox.west} ${bbox.south} ${bbox.east} ${bbox.north}`;
    const same = byCorners.get(corners);
    if (same) join(same, viewport);
    else byCorners.set(corners, alone(viewport, bbox));
  }
  return [...byCorners.values()];
}

/** Largest first, so that a box meets those that can contain it. */
function insideOthers(viewports: readonly Viewport[]): readonly Viewport[] {
  const size = ({ bbox }: Viewport) => bboxSizeDeg2(bbox);
  const outer: Joined[] = [];
  for (const viewport of viewports.toSorted((a, b) => size(b) - size(a))) {
    const container = outer.find(({ bbox }) => bboxCovers(bbox, viewport.bbox));
    if (container) join(container, viewport);
    else outer.push(alone(viewport, viewport.bbox));
  }
  return outer;
}

function alone({ views, unread, isRead }: Viewport, bbox: Bbox): Joined {
  return { bbox, views, unread, isRead, own: undefined };
}

function join(into: Joined, { views, unread, isRead }: Viewport): void {
  into.own ??= { views: new Map(into.views), unread: new Map(into.unread) };
  const { own } = into;
  into.views = own.views;
  into.unread = own.unread;
  for (const [operator, count] of views) own.views.set(operator, (own.views.get(operator) ?? 0) + count);
  for (const [operator, place] of unread) own.unread.set(operator, Math.min(place, own.unread.get(operator) ?? place));
  into.isRead ||= isRead;
}
