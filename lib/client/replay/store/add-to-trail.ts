import { TRAIL_LIMITS, type Trail, type TrailLimits } from '#lib/picture/trail.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { ReplayStore } from './replay-store.ts';

/** Adds a track's positions in (`afterMs`, `toMs`], epoch milliseconds, to a trail. */
export function addToTrail(
  trail: Trail,
  store: ReplayStore,
  track: number,
  { afterMs, toMs }: { readonly afterMs: number; readonly toMs: number },
  limits: TrailLimits = TRAIL_LIMITS[store.kindOf(track)],
): void {
  const series = store.seriesOf(track);
  const { lon, lat } = store.rows.read;
  const startMs = epochMs(store.window.start);
  trail.beginTrack(limits);
  const last = series.lastAtOrBefore(toMs - startMs, series.count - 1);
  const first = series.lastAtOrBefore(afterMs - startMs, last) + 1;
  for (let index = first; index <= last; index++) {
    const row = series.row(index);
    trail.add(startMs + series.timeMs(index), lon(row), lat(row));
  }
}
