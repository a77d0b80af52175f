import type { ObservationColumns } from './observation-columns.ts';

export interface GroupedObservations {
  /** Indexes into `ObservationColumns.refs`, one per group. */
  readonly refIndexes: readonly number[];
  /** Starts in `order` and `timesMs`; the extra last entry ends the last group. */
  readonly starts: Uint32Array;
  readonly order: Uint32Array;
  /** In that order, since the store's start. */
  readonly timesMs: Int32Array;
  /** Omitted observations outside [`startMs`, `endMs`). */
  readonly outside: number;
}

/** Only indexes in [`first`, `end`); the sort is stable. */
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
  /** By reference: the next index in `order`. */
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

/** Parts are mostly sorted by time already, so this checks first. */
function sortByTime(indexes: Uint32Array, observedAtMs: Float64Array): void {
  for (let at = 1; at < indexes.length; at++) {
    const before = observedAtMs[indexes[at - 1] as number] as number;
    if ((observedAtMs[indexes[at] as number] as number) >= before) continue;
    indexes.sort((a, b) => (observedAtMs[a] as number) - (observedAtMs[b] as number));
    return;
  }
}
