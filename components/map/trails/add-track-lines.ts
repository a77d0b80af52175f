import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import type { TrackSeries } from '#lib/client/replay/store/track-series.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import { type Colouring, markRgb } from '#lib/model/mark-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { confidenceIndex } from '#lib/picture/mark-style.ts';
import { TRAIL_LIMITS, trailJoin } from '#lib/picture/trail-joins.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { TrailLine, TrailLines } from './trail-lines.ts';

export interface TrackLinesOptions {
  /** Covers what was received in `(afterMs, toMs]`, epoch ms. */
  readonly afterMs: number;
  readonly toMs: number;
  /** Also removed with the track's mark. `undefined`: the whole path stays. */
  readonly keptMs?: number | undefined;
  readonly dots: boolean;
  readonly colouring?: Colouring;
}

/** Mercator positions of one track; reused. */
let xs = new Float64Array(256);
let ys = new Float64Array(256);

/** Each line has the colour and the time of the position at its end. */
export function addTrackLines(
  lines: TrailLines,
  store: ReplayStore,
  track: number,
  { afterMs, toMs, keptMs, dots, colouring = 'altitude' }: TrackLinesOptions,
): void {
  const series = store.seriesOf(track);
  const kind = store.kindOf(track);
  const startMs = epochMs(store.window.start);
  const last = series.lastAtOrBefore(toMs - startMs, series.count - 1);
  const first = series.lastAtOrBefore(afterMs - startMs, last) + 1;
  if (last < first) return;
  project(store, series, first, last);
  const valueAt = rowValue(store, kind, colouring);
  const { dottedMs } = TRAIL_LIMITS[kind];
  const add = (from: number, to: number, untilMs: number, shape: TrailLine['shape']) => {
    const [toX, toY] = [xs[to - first] as number, ys[to - first] as number];
    const fromX = xs[from - first] as number;
    lines.add({
      fromX: fromX + Math.round(toX - fromX),
      fromY: ys[from - first] as number,
      toX,
      toY,
      fromMs: startMs + series.timeMs(to),
      untilMs,
      rgb: markRgb(colouring, kind, valueAt(series.row(to))),
      shape,
    });
  };

  // Newest first: when a position's mark was removed depends on the positions after it.
  let goneMs = series.timeMs(last) + dottedMs;
  for (let to = last; to > first; to--) {
    const fromMs = series.timeMs(to - 1);
    const shape = trailJoin(kind, series.timeMs(to) - fromMs);
    if (shape === 'none') goneMs = fromMs + dottedMs;
    else add(to - 1, to, keptMs === undefined ? Infinity : startMs + Math.min(fromMs + keptMs, goneMs), shape);
  }
  if (!dots) return;
  for (let at = first; at <= last; at++) add(at === first ? Math.min(first + 1, last) : at - 1, at, Infinity, 'dot');
}

function project(store: ReplayStore, series: TrackSeries, first: number, last: number): void {
  const { lon, lat } = store.rows.read;
  const count = last - first + 1;
  if (xs.length < count) {
    xs = new Float64Array(count * 2);
    ys = new Float64Array(count * 2);
  }
  for (let index = 0; index < count; index++) {
    const row = series.row(first + index);
    xs[index] = mercatorX(lon(row));
    ys[index] = mercatorY(lat(row));
  }
}

/** Colouring by age is up to the layer. */
function rowValue({ rows, labelSets }: ReplayStore, kind: TrackKind, colouring: Colouring): (row: number) => number {
  const { heightAglM, altitudeM, speedMps } = rows.read;
  switch (colouring) {
    case 'altitude':
      return kind === 'drone' ? heightAglM : altitudeM;
    case 'height':
      return heightAglM;
    case 'speed':
      return speedMps;
    case 'confidence':
      return (row) => confidenceIndex(labelSets.at(rows.labelSet(row)).style);
    case 'age':
    case 'kind':
      return () => Number.NaN;
  }
}
