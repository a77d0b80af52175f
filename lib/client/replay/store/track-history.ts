import type { TrackKind } from '#lib/model/position.ts';
import { byName, NUMBER_NAMES, type NumberName } from '#lib/model/record-fields.ts';
import { epochMs, msBetween } from '#lib/time/instant.ts';
import type { ReplayStore } from './replay-store.ts';

/** In order of time, epoch milliseconds; NaN is "not reported". */
export interface TrackHistory extends Readonly<Record<NumberName, Float64Array>> {
  readonly ref: string;
  readonly kind: TrackKind;
  readonly count: number;
  readonly observedAtMs: Float64Array;
}

export function trackHistory(store: ReplayStore, track: number, since = store.window.start): TrackHistory {
  const series = store.seriesOf(track);
  const first = series.lastAtOrBefore(msBetween(store.window.start, since) - 1, 0) + 1;
  const count = series.count - first;
  const column = (read: (index: number) => number) =>
    Float64Array.from({ length: count }, (_, index) => read(first + index));
  return {
    ref: store.refOf(track),
    kind: store.kindOf(track),
    count,
    observedAtMs: column((index) => epochMs(store.window.start) + series.timeMs(index)),
    ...byName(NUMBER_NAMES, (name) => column((index) => store.rows.read[name](series.row(index)))),
  };
}
