import type { TrackKind } from '#lib/model/position.ts';
import type { ReplayStore } from './replay-store.ts';

/** All that a store has of one track, in order of time. NaN is "not reported". Times are milliseconds of the epoch. */
export interface TrackHistory {
  readonly ref: string;
  readonly kind: TrackKind;
  readonly count: number;
  readonly observedAtMs: Float64Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly altitudeM: Float64Array;
  readonly heightAglM: Float64Array;
  readonly speedMps: Float64Array;
  readonly headingDeg: Float64Array;
}

/** A copy: what comes into the store later is not in it. */
export function trackHistory(store: ReplayStore, track: number): TrackHistory {
  const series = store.seriesOf(track);
  const { rows } = store;
  const column = (read: (row: number) => number) =>
    Float64Array.from({ length: series.count }, (_, index) => read(series.row(index)));
  return {
    ref: store.refOf(track),
    kind: store.kindOf(track),
    count: series.count,
    observedAtMs: Float64Array.from({ length: series.count }, (_, index) => store.window.start + series.timeMs(index)),
    lon: column((row) => rows.lon(row)),
    lat: column((row) => rows.lat(row)),
    altitudeM: column((row) => rows.altitudeM(row)),
    heightAglM: column((row) => rows.heightAglM(row)),
    speedMps: column((row) => rows.speedMps(row)),
    headingDeg: column((row) => rows.headingDeg(row)),
  };
}
