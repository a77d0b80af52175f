import fc from 'fast-check';
import type { LiveRecord } from '#lib/api/live-answer.ts';
import type { ObservationColumns } from '#lib/codec/record-columns.ts';
import { toSteps } from '#lib/codec/steps.ts';
import {
  byName,
  byWireName,
  MEASURE_NAMES,
  NUMBER_NAMES,
  type NumberName,
  numberField,
  RECORD_FIELDS,
} from '#lib/model/record-fields.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { anyRecord, RECORDS_AT_MS } from '../../../api/arbitrary-record.fixture.ts';
import { recordColumns } from '../../live/record-columns.fixture.ts';

export const RECORDS_WINDOW: Window = {
  start: upstreamInstant(RECORDS_AT_MS - MINUTE_MS),
  end: upstreamInstant(RECORDS_AT_MS + 60_001),
};

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

export const anyMoment: fc.Arbitrary<number> = aroundRecords(70_000, 250_000);

function kept(name: NumberName, value: number): number {
  const { stepsPerUnit, row } = numberField(name);
  const steps = toSteps(value, stepsPerUnit);
  if (row === 'float32') return Math.round(Math.fround(steps / stepsPerUnit) * stepsPerUnit) / stepsPerUnit + 0;
  const max = row === 'int16' ? 0x7fff : Number.POSITIVE_INFINITY;
  return Math.min(max, Math.max(-max, steps)) / stepsPerUnit + 0;
}

/** Historical records: without `stale_after`, and with numbers as the store keeps them. */
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
  return {
    ...columns,
    refs,
    refIndex: Uint32Array.from(refOfRecord, (ref) => refs.indexOf(ref)),
    ...byName(NUMBER_NAMES, (name) =>
      Int32Array.from(columns[name], (units) => toSteps(units, numberField(name).stepsPerUnit)),
    ),
  };
}

export function observationsByRef(parts: readonly (readonly LiveRecord[])[]): Map<string, LiveRecord[]> {
  const byRef = new Map<string, LiveRecord[]>();
  for (const record of parts.flat()) {
    const known = byRef.get(record.public_track_id) ?? [];
    if (!known.some(({ observed_at }) => observed_at === record.observed_at)) known.push(record);
    byRef.set(record.public_track_id, known);
  }
  for (const known of byRef.values()) known.sort((a, b) => Date.parse(a.observed_at) - Date.parse(b.observed_at));
  return byRef;
}
