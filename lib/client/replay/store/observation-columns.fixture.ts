import fc from 'fast-check';
import type { LiveRecord } from '#lib/api/live-record.ts';
import { byWireName, MEASURE_NAMES, type NumberName, numberField, RECORD_FIELDS } from '#lib/model/record-fields.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { anyRecord, RECORDS_AT_MS } from '../../../api/arbitrary-record.fixture.ts';
import { recordColumns } from '../../live/record-columns.fixture.ts';
import type { ObservationColumns } from './observation-columns.ts';

/** Holds every moment of `anyRecord`. */
export const RECORDS_WINDOW: Window = {
  start: upstreamInstant(RECORDS_AT_MS - MINUTE_MS),
  end: upstreamInstant(RECORDS_AT_MS + 60_001),
};

/** Any moment, half of them on a grid, so that records and cursors meet in time and stand midway between others. */
function aroundRecords(beforeMs: number, afterMs: number): fc.Arbitrary<number> {
  const gridMs = 5000;
  const onGrid = fc.integer({ min: Math.ceil(-beforeMs / gridMs), max: Math.floor(afterMs / gridMs) });
  return fc
    .oneof(
      fc.integer({ min: -beforeMs, max: afterMs }),
      onGrid.map((step) => step * gridMs),
    )
    .map((offsetMs) => RECORDS_AT_MS + offsetMs);
}

/** From before the first observation until the last one was removed. */
export const anyMoment: fc.Arbitrary<number> = aroundRecords(70_000, 250_000);

/** The value that a replay's rows keep of one: in whole steps, no −0, within what 16 bits hold where that is its column. */
function kept(name: NumberName, value: number): number {
  const { stepsPerUnit, row } = numberField(name);
  const most = row === 'int16' ? 0x7fff : Number.POSITIVE_INFINITY;
  return Math.min(most, Math.max(-most, Math.round(value * stepsPerUnit))) / stepsPerUnit + 0;
}

/** Records of the past carry no `stale_after`, and the numbers that the store keeps. */
const pastRecord = fc.tuple(anyRecord, aroundRecords(MINUTE_MS, MINUTE_MS)).map(
  ([{ stale_after: _, ...record }, observedAtMs]): LiveRecord => ({
    ...record,
    longitude: kept('lon', record.longitude),
    latitude: kept('lat', record.latitude),
    ...byWireName(MEASURE_NAMES, (name) => {
      const value = record[RECORD_FIELDS[name].wire];
      return value === null ? null : kept(name, value);
    }),
    observed_at: formatInstant(upstreamInstant(observedAtMs)),
  }),
);

/** Parts in the order in which they arrive: in no order of time, with records that come again. */
export const anyParts: fc.Arbitrary<LiveRecord[][]> = fc
  .array(pastRecord, { maxLength: 60 })
  .chain((records) => {
    const again = fc.subarray(records);
    const shuffled = again.chain((repeated) => {
      const all = [...records, ...repeated];
      return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length });
    });
    return fc.tuple(shuffled, fc.integer({ min: 1, max: 25 }));
  })
  .map(([records, size]) =>
    Array.from({ length: Math.ceil(records.length / size) }, (_, part) =>
      records.slice(part * size, (part + 1) * size),
    ),
  );

export function observationColumns(records: readonly LiveRecord[]): ObservationColumns {
  const { staleAfterMs: _, refs: refOfRecord, ...columns } = recordColumns(records);
  const refs = [...new Set(refOfRecord)];
  return { ...columns, refs, refIndex: Uint32Array.from(refOfRecord, (ref) => refs.indexOf(ref)) };
}

/** What a plain map holds of the parts: of each reference and time the first record to come, by reference in order of time. */
export function observationsByRef(parts: readonly (readonly LiveRecord[])[]): Map<string, LiveRecord[]> {
  const byRef = new Map<string, LiveRecord[]>();
  for (const record of parts.flat()) {
    const held = byRef.get(record.public_track_id) ?? [];
    if (!held.some(({ observed_at }) => observed_at === record.observed_at)) held.push(record);
    byRef.set(record.public_track_id, held);
  }
  for (const held of byRef.values()) held.sort((a, b) => Date.parse(a.observed_at) - Date.parse(b.observed_at));
  return byRef;
}
