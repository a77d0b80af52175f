import { decodeObservations } from '#lib/api/compact-history/decode-observations.ts';
import { columnsFromCompact } from '../columns-from-compact.ts';
import type { RecordColumns } from '../live-frame.ts';
import type { ObservationColumns } from './observation-columns.ts';

type NumberColumn = {
  [Name in keyof RecordColumns]: RecordColumns[Name] extends Float64Array ? Name : never;
}[keyof RecordColumns];

/** @throws Error where the bytes are damaged */
export function observationsFromCompact(bytes: Uint8Array): ObservationColumns {
  const turns = decodeObservations(bytes).map((turn) => columnsFromCompact(turn, undefined));
  const count = turns.reduce((sum, turn) => sum + turn.count, 0);
  const refs = new Index<string>();
  const labels = new Index<string | undefined>();
  labels.of(undefined);
  const refIndex = new Uint32Array(count);
  const flags = new Uint8Array(count);
  const confidence = new Uint16Array(count);
  const emergency = new Uint16Array(count);
  let at = 0;
  for (const turn of turns) {
    for (let index = 0; index < turn.count; index++, at++) {
      refIndex[at] = refs.of(turn.refs[index] as string);
      flags[at] = turn.flags[index] as number;
      confidence[at] = labels.of(turn.labels[turn.confidence[index] as number]);
      emergency[at] = labels.of(turn.labels[turn.emergency[index] as number]);
    }
  }
  const numbers = (name: NumberColumn) =>
    joined(
      turns.map((turn) => turn[name]),
      count,
    );
  return {
    count,
    refs: refs.values,
    refIndex,
    labels: labels.values,
    flags,
    confidence,
    emergency,
    observedAtMs: numbers('observedAtMs'),
    lon: numbers('lon'),
    lat: numbers('lat'),
    altitudeM: numbers('altitudeM'),
    heightAglM: numbers('heightAglM'),
    speedMps: numbers('speedMps'),
    headingDeg: numbers('headingDeg'),
    confidenceScore: numbers('confidenceScore'),
    receiverCount: numbers('receiverCount'),
  };
}

function joined(columns: readonly Float64Array[], count: number): Float64Array {
  const whole = new Float64Array(count);
  let at = 0;
  for (const column of columns) {
    whole.set(column, at);
    at += column.length;
  }
  return whole;
}

/** Each value once, by the order in which it came. */
class Index<T> {
  readonly values: T[] = [];
  readonly #at = new Map<T, number>();

  of(value: T): number {
    let at = this.#at.get(value);
    if (at === undefined) {
      at = this.values.push(value) - 1;
      this.#at.set(value, at);
    }
    return at;
  }
}
