import { gzipSync } from 'node:zlib';
import { decodeFrame, encodeFrame } from '#lib/codec/frame.ts';
import { columnsOf } from '#lib/codec/record-columns.ts';
import { type Records, recordsOf } from '#lib/codec/records.ts';
import { deflated } from '#lib/server/database/deflated.ts';
import { apiRecord } from '#lib/server/upstream/api-record.ts';
import { hasRecordings, recordedSeries, type SnapshotSeries, simulatedSeries } from './wire-snapshots.ts';

const GOAL_FULL_BYTES = 24;
const GOAL_DELTA_BYTES = 8;
const GOAL_MS = { 1000: 2, 20000: 40 };
/** The goals apply from here: in smaller areas the fixed cost of a frame, about 50 bytes, dominates. */
const GOAL_FROM_RECORDS = 40;
const WARM_UP = 20;
const RUNS = 15;

/** The size of an area on the wire, and the time to encode and decode it. */
export async function wire(): Promise<object> {
  const hasRecorded = hasRecordings();
  const measured = [];
  for (const series of [...(hasRecorded ? await recordedSeries() : []), simulatedSeries(1000), simulatedSeries(20_000)])
    measured.push(await measure(series));
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

async function measure({ name, everyMs, snapshots }: SnapshotSeries) {
  const sets = snapshots.map(recordsOf);
  const steps = sets.slice(1).map((after, index) => ({ before: sets[index] as Records, after }));
  const deltas = steps.map(({ before, after }) => encodeFrame(after, before));
  const changed = sum(
    steps.map(({ before }, index) => decodeFrame(deltas[index] as Uint8Array, before).changed.length),
  );
  const records = sum(sets.map(({ count }) => count));
  const fulls = sets.map((set) => encodeFrame(set));
  const json = snapshots.map((positions) => Buffer.from(JSON.stringify(positions.map(apiRecord))));
  const bytes = async (frames: readonly Uint8Array[]) =>
    sum((await Promise.all(frames.map(deflated))).map(({ byteLength }) => byteLength));
  const unchanged = encodeFrame(steps[0]!.after, steps[0]!.after);
  return {
    name,
    every_s: everyMs / 1000,
    steps: steps.length,
    records: Math.round(records / sets.length),
    changed_each_step: Math.round(changed / steps.length),
    full_bytes: round((await bytes(fulls)) / records),
    delta_bytes: round((await bytes(deltas)) / changed),
    nothing_changed_bytes: (await deflated(unchanged)).byteLength,
    json_bytes: round(sum(json.map(({ byteLength }) => byteLength)) / records),
    json_gzip_bytes: round(sum(json.map((text) => gzipSync(text).byteLength)) / records),
    ...timings(snapshots.at(-1) ?? [], steps.at(-1) as (typeof steps)[number]),
  };
}

function timings(
  positions: SnapshotSeries['snapshots'][number],
  { before, after }: Record<'before' | 'after', Records>,
) {
  const full = encodeFrame(after);
  const delta = encodeFrame(after, before);
  return {
    quantise_ms: medianMs(() => recordsOf(positions)),
    encode_full_ms: medianMs(() => encodeFrame(after)),
    encode_delta_ms: medianMs(() => encodeFrame(after, before)),
    decode_full_ms: medianMs(() => decodeFrame(full)),
    apply_delta_ms: medianMs(() => decodeFrame(delta, before)),
    columns_ms: medianMs(() => columnsOf(after)),
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
