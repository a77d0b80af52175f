import { deflateRawSync, gzipSync } from 'node:zlib';
import { applyDelta, decodeFull } from '#lib/codec/frame/decode-frame.ts';
import { encodeDelta, encodeFull } from '#lib/codec/frame/encode-frame.ts';
import { quantise } from '#lib/codec/quantise.ts';
import type { QuantisedRecords } from '#lib/codec/quantised-records.ts';
import { columnsOf } from '#lib/codec/record-columns.ts';
import { apiRecord } from '#lib/server/upstream/api-record.ts';
import { hasRecordings, recordedSeries, type SnapshotSeries, simulatedSeries } from './wire-snapshots.ts';

const GOAL_FULL_BYTES = 24;
const GOAL_DELTA_BYTES = 7;
const GOAL_MS = { 1000: 2, 20000: 40 };
/** The goals apply from here: in smaller areas the fixed cost of a frame, about 50 bytes, dominates. */
const GOAL_FROM_RECORDS = 40;
const WARM_UP = 20;
const RUNS = 15;

/** The size of an area on the wire, and the time to encode and decode it. */
export async function wire(): Promise<object> {
  const hasRecorded = hasRecordings();
  const measured = [...(hasRecorded ? await recordedSeries() : []), simulatedSeries(1000), simulatedSeries(20_000)].map(
    measure,
  );
  return {
    what:
      'one area in the compact form, compressed (raw deflate): bytes per record of the full frame, bytes per new or ' +
      'changed record of the delta; random references of 64 bits, as the service makes them; median times in ms, warm, without compressing',
    recordings: hasRecorded ? 'read' : 'missing: simulator only',
    goal: { full_bytes: GOAL_FULL_BYTES, delta_bytes: GOAL_DELTA_BYTES, from_records: GOAL_FROM_RECORDS, ms: GOAL_MS },
    reached: measured
      .filter(({ records }) => records >= GOAL_FROM_RECORDS)
      .every(({ full_bytes, delta_bytes }) => full_bytes <= GOAL_FULL_BYTES && delta_bytes <= GOAL_DELTA_BYTES),
    runs: measured,
  };
}

function measure({ name, everyMs, snapshots }: SnapshotSeries) {
  const sets = snapshots.map((positions) => quantise(positions));
  const steps = sets.slice(1).map((after, index) => ({ before: sets[index] as QuantisedRecords, after }));
  const deltas = steps.map(({ before, after }) => encodeDelta(before, after));
  const changed = sum(steps.map(({ before }, index) => applyDelta(before, deltas[index] as Uint8Array).changed.length));
  const records = sum(sets.map(({ count }) => count));
  const fulls = sets.map(encodeFull);
  const json = snapshots.map((positions) => Buffer.from(JSON.stringify(positions.map(apiRecord))));
  const perRecord = (frames: readonly Uint8Array[], compress: (frame: Uint8Array) => Uint8Array) =>
    round(sum(frames.map((frame) => compress(frame).length)) / records);
  const perChange = (level: number) =>
    round(sum(deltas.map((frame) => deflateRawSync(frame, { level }).length)) / changed);
  return {
    name,
    every_s: everyMs / 1000,
    steps: steps.length,
    records: Math.round(records / sets.length),
    changed_each_step: Math.round(changed / steps.length),
    full_bytes: perRecord(fulls, (frame) => deflateRawSync(frame, { level: 6 })),
    delta_bytes: perChange(6),
    nothing_changed_bytes: deflateRawSync(encodeDelta(steps[0]!.after, steps[0]!.after)).length,
    json_bytes: perRecord(json, (frame) => frame),
    json_gzip_bytes: perRecord(json, (frame) => gzipSync(frame)),
    ...timings(snapshots.at(-1) ?? [], steps.at(-1) as (typeof steps)[number]),
  };
}

function timings(
  positions: SnapshotSeries['snapshots'][number],
  { before, after }: Record<'before' | 'after', QuantisedRecords>,
) {
  const full = encodeFull(after);
  const delta = encodeDelta(before, after);
  return {
    quantise_ms: medianMs(() => quantise(positions)),
    encode_full_ms: medianMs(() => encodeFull(after)),
    encode_delta_ms: medianMs(() => encodeDelta(before, after)),
    decode_full_ms: medianMs(() => decodeFull(full)),
    apply_delta_ms: medianMs(() => applyDelta(before, delta)),
    columns_ms: medianMs(() => columnsOf(after, undefined)),
  };
}

function medianMs(run: () => unknown): number {
  for (let index = 0; index < WARM_UP; index++) run();
  const times = Array.from({ length: RUNS }, () => {
    const startMs = performance.now();
    run();
    return performance.now() - startMs;
  });
  return round(times.toSorted((a, b) => a - b)[RUNS >> 1] as number);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
