import type { ObservationColumns } from './observation-columns.ts';

/** Some observations of a part, ordered by track and then by time. */
export interface GroupedObservations {
  /** Indexes into `ObservationColumns.refs`, one a group. */
  readonly refIndexes: readonly number[];
  /** Where each group starts in `order` and `timesMs`; one more entry is the end of the last. */
  readonly starts: Uint32Array;
  /** Indexes into the part's columns. */
  readonly order: Uint32Array;
  /** Of the observations in that order, since the store's start. */
  readonly timesMs: Int32Array;
  /** How many lie before `startMs`, or at or after `endMs`, and are not in it. */
  readonly outside: number;
}

/** Groups the observations from index `first` to before `end`. Where two have the same time, they stay in their order. */
export function groupByTrack(
  records: ObservationColumns,
  first: number,
  end: number,
  startMs: number,
  endMs: number,
): GroupedObservations {
  const counts = new Uint32Array(records.refs.length);
  const refIndexes: number[] = [];
  let inside = 0;
  for (let index = first; index < end; index++) {
    if (!isInside(records.observedAtMs[index] as number, startMs, endMs)) continue;
    const refIndex = records.refIndex[index] as number;
    if (counts[refIndex] === 0) refIndexes.push(refIndex);
    counts[refIndex] = (counts[refIndex] as number) + 1;
    inside++;
  }

  const starts = new Uint32Array(refIndexes.length + 1);
  /** By reference: where its next observation goes. */
  const nextPlaces = new Uint32Array(records.refs.length);
  let place = 0;
  for (const [group, refIndex] of refIndexes.entries()) {
    starts[group] = place;
    nextPlaces[refIndex] = place;
    place += counts[refIndex] as number;
  }
  starts[refIndexes.length] = place;

  const order = new Uint32Array(inside);
  for (let index = first; index < end; index++) {
    if (!isInside(records.observedAtMs[index] as number, startMs, endMs)) continue;
    const refIndex = records.refIndex[index] as number;
    const next = nextPlaces[refIndex] as number;
    order[next] = index;
    nextPlaces[refIndex] = next + 1;
  }

  for (let group = 0; group < refIndexes.length; group++) {
    sortByTime(order.subarray(starts[group], starts[group + 1]), records.observedAtMs);
  }
  const timesMs = Int32Array.from(order, (index) => (records.observedAtMs[index] as number) - startMs);
  return { refIndexes, starts, order, timesMs, outside: end - first - inside };
}

function isInside(observedAtMs: number, startMs: number, endMs: number): boolean {
  return observedAtMs >= startMs && observedAtMs < endMs;
}

/** Parts mostly come in order of time, and then nothing is to be done. */
function sortByTime(indexes: Uint32Array, observedAtMs: Float64Array): void {
  for (let at = 1; at < indexes.length; at++) {
    const before = observedAtMs[indexes[at - 1] as number] as number;
    if ((observedAtMs[indexes[at] as number] as number) >= before) continue;
    indexes.sort((a, b) => (observedAtMs[a] as number) - (observedAtMs[b] as number));
    return;
  }
}
