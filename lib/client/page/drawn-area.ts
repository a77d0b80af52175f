import { HISTORY_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { drawnArea } from '#lib/filter/track-filter.ts';
import { areaBbox } from '#lib/geo/area.ts';
import { type Bbox, bboxCovers, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { grownBox } from '#lib/geo/grown-box.ts';
import type { Window } from '#lib/time/window.ts';
import { type Entered, enterReplay } from './enter-replay.ts';
import type { Lookout } from './lookout.ts';

/** Margin around an area, for what passed nearby. */
const AROUND_M = 11_000;

export function toggleDrawing({ drawing }: Pick<Lookout, 'drawing'>): void {
  if (drawing.get().tool === undefined) drawing.start('circle');
  else drawing.end();
}

export function replayOfArea(
  lookout: Entered & Pick<Lookout, 'filter'>,
  window: Window,
  tab: 'timeline' | 'tracks' = 'tracks',
): void {
  const area = drawnArea(lookout.filter.get());
  lookout.replay.tab.set(tab);
  if (!area) {
    enterReplay(lookout, { window });
    return;
  }
  const box = areaBbox(area);
  const { loadedArea } = lookout.replay.session ?? {};
  const isKept = loadedArea !== undefined && bboxCovers(loadedArea, box);
  const { visible } = lookout.mapView.get();
  const isShown = visible && bboxCovers(visible, box) && isLoadable(visible);
  enterReplay(lookout, { window, area: isKept ? loadedArea : isShown ? undefined : grownBox(box, AROUND_M) });
}

function isLoadable(box: Bbox): boolean {
  return lonSpanDeg(box) <= HISTORY_MAX_SPAN_DEG && latSpanDeg(box) <= HISTORY_MAX_SPAN_DEG;
}
