import { type Area, areaContains, distanceToAreaM } from '#lib/geo/area.ts';
import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import type { ReplayStore } from '../store/replay-store.ts';

/** The received positions of a track in a window, in order of time. */
export interface AnswerTrail {
  readonly ref: string;
  readonly kind: TrackKind;
  readonly points: readonly TrailPoint[];
}

interface TrailPoint extends LonLat {
  readonly at: UpstreamInstant;
}

export function trailsOf(
  store: Pick<ReplayStore, 'window' | 'rows' | 'trackOf' | 'kindOf' | 'seriesOf'>,
  { start, end }: Window,
  refs: readonly string[],
): readonly AnswerTrail[] {
  const [fromMs, toMs] = [msBetween(store.window.start, start), msBetween(store.window.start, end)];
  return refs.flatMap((ref) => {
    const track = store.trackOf(ref);
    if (track === undefined) return [];
    const series = store.seriesOf(track);
    const points: TrailPoint[] = [];
    for (let index = series.lastAtOrBefore(fromMs - 1, 0) + 1; index < series.count; index++) {
      const timeMs = series.timeMs(index);
      if (timeMs >= toMs) break;
      const row = series.row(index);
      const { lon, lat } = store.rows.read;
      points.push({ lon: lon(row), lat: lat(row), at: addMs(store.window.start, timeMs) });
    }
    return [{ ref, kind: store.kindOf(track), points }];
  });
}

/** The nearest received position of a kind to an area. */
export interface NearestPosition extends LonLat {
  readonly ref: string;
  readonly at: UpstreamInstant;
  /** Inside: to the middle; outside: to the edge. */
  readonly distanceM: number;
  readonly isInside: boolean;
}

/** @param middle of the area, to which positions inside are compared */
export function nearestOf(
  kind: TrackKind,
  area: Area,
  middle: LonLat,
  trails: readonly AnswerTrail[],
): NearestPosition | undefined {
  let nearest: NearestPosition | undefined;
  for (const trail of trails.filter((each) => each.kind === kind))
    for (const { lon, lat, at } of trail.points) {
      const isInside = areaContains(area, lon, lat);
      if (nearest?.isInside && !isInside) continue;
      const metres = isInside ? distanceM(middle, { lon, lat }) : distanceToAreaM(area, { lon, lat });
      if (nearest && nearest.isInside === isInside && nearest.distanceM <= metres) continue;
      nearest = { ref: trail.ref, lon, lat, at, distanceM: metres, isInside };
    }
  return nearest;
}
