import type { TrackKind } from '#lib/model/position.ts';
import { byName, NUMBER_NAMES, type NumberName } from '#lib/model/record-fields.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { ReplayStore } from './replay-store.ts';

/** All observations of one track, in order of time. NaN means "not reported". Times are epoch milliseconds. */
export interface TrackHistory extends Readonly<Record<NumberName, Float64Array>> {
  readonly ref: string;
  readonly kind: TrackKind;
  readonly count: number;
  readonly observedAtMs: Float64Array;
}

/** Copies a track's observations; later additions to the store do not change it. */
export function trackHistory(store: ReplayStore, track: number): TrackHistory {
  const series = store.seriesOf(track);
  const column = (read: (index: number) => number) =>
    Float64Array.from({ length: series.count }, (_, index) => read(index));
  return {
    ref: store.refOf(track),
    kind: store.kindOf(track),
    count: series.count,
    observedAtMs: column((index) => epochMs(store.window.start) + series.timeMs(index)),
    ...byName(NUMBER_NAMES, (name) => column((index) => store.rows.read[name](series.row(index)))),
  };
}
