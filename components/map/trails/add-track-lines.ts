import { addToTrail } from '#lib/client/replay/store/add-to-trail.ts';
import type { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { mercatorX, mercatorY } from '#lib/geo/mercator.ts';
import type { Rgb } from '#lib/model/altitude-colour.ts';
import { type Colouring, markRgb } from '#lib/model/mark-colour.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { confidenceIndex } from '#lib/picture/mark-style.ts';
import { TRAIL_LIMITS, Trail } from '#lib/picture/trail.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { TrailLine, TrailLines } from './trail-lines.ts';

export interface TrackLinesOptions {
  /** Covers what was received in `(afterMs, toMs]`, epoch ms. */
  readonly afterMs: number;
  readonly toMs: number;
  /**
   * How long a received position stays in the trail; it also goes when the track's mark does. `undefined`: the whole path stays.
   */
  readonly keptMs?: number | undefined;
  /** A dot at each received position. */
  readonly dots: boolean;
  readonly colouring?: Colouring;
}

const trail = new Trail();
/** Mercator coordinates of the trail's positions. */
let xs = new Float64Array(256);
let ys = new Float64Array(256);

/**
 * Adds the lines of one track, solid and dotted as `Trail` joins its positions. Each line has the colour of what was received at its
 * end, and is part of the past from the time its end was received.
 */
export function addTrackLines(
  lines: TrailLines,
  store: ReplayStore,
  track: number,
  { afterMs, toMs, keptMs, dots, colouring = 'altitude' }: TrackLinesOptions,
): void {
  trail.clear();
  addToTrail(trail, store, track, { afterMs, toMs });
  const { pointCount, observedAtMs, runStarts } = trail;
  if (pointCount === 0) return;
  project();
  const rgbAt = colours(store, track, colouring, toMs, pointCount);
  const { dottedMs } = TRAIL_LIMITS[store.kindOf(track)];
  const timeAt = (point: number) => observedAtMs[point] as number;
  const add = (from: number, to: number, untilMs: number, shape: TrailLine['shape']) =>
    lines.add({
      fromX: xs[from] as number,
      fromY: ys[from] as number,
      toX: xs[to] as number,
      toY: ys[to] as number,
      fromMs: timeAt(to),
      untilMs,
      rgb: rgbAt(to),
      shape,
    });
  const untilOf = (from: number, goneMs: number) =>
    keptMs === undefined ? Number.POSITIVE_INFINITY : Math.min(timeAt(from) + keptMs, goneMs);

  let goneMs = 0;
  let isJoinedToNext = false;
  // From the last run to the first: when a run's mark was removed depends on the run that follows it.
  for (let run = trail.runCount - 1; run >= 0; run--) {
    const first = runStarts[run] as number;
    const last = trail.runEnd(run) - 1;
    if (!isJoinedToNext) goneMs = timeAt(last) + dottedMs;
    for (let point = last; point > first; point--) add(point - 1, point, untilOf(point - 1, goneMs), 'solid');
    isJoinedToNext = trail.runConnected[run] === 1;
    if (isJoinedToNext) add(first - 1, first, untilOf(first - 1, goneMs), 'dotted');
  }
  if (!dots) return;
  for (let point = 0; point < pointCount; point++) {
    // The first dot has no predecessor, so its spacing is measured to the next one.
    const neighbour = point === 0 ? Math.min(1, pointCount - 1) : point - 1;
    add(neighbour, point, Number.POSITIVE_INFINITY, 'dot');
  }
}

function project(): void {
  const { coordinates, pointCount } = trail;
  if (xs.length < pointCount) {
    xs = new Float64Array(pointCount * 2);
    ys = new Float64Array(pointCount * 2);
  }
  for (let point = 0; point < pointCount; point++) {
    xs[point] = mercatorX(coordinates[point * 2] as number);
    ys[point] = mercatorY(coordinates[point * 2 + 1] as number);
  }
}

/** The colours that the marks of the last `count` observations up to `toMs` had; by age, the layer colours them itself. */
function colours(
  store: ReplayStore,
  track: number,
  colouring: Colouring,
  toMs: number,
  count: number,
): (point: number) => Rgb {
  const series = store.seriesOf(track);
  const kind = store.kindOf(track);
  const first = series.lastAtOrBefore(toMs - epochMs(store.window.start), series.count - 1) + 1 - count;
  const valueAt = rowValue(store, kind, colouring);
  return (point) => markRgb(colouring, kind, valueAt(series.row(first + point)));
}

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
