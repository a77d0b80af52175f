import { deflateRawSync } from 'node:zlib';
import type { EntropyStage } from '#lib/codec/entropy/entropy-stage.ts';
import { rangeStage } from '#lib/codec/entropy/range-stage.ts';
import { varintStage } from '#lib/codec/entropy/varint-stage.fixture.ts';
import { addedTexts, restated, withAddedTexts } from '#lib/codec/frame/dictionaries.ts';
import { encodeFrame } from '#lib/codec/frame/encode-frame.ts';
import { valuesBefore, writeBase, writeDifferences } from '#lib/codec/frame/frame-columns.ts';
import { frameWriter } from '#lib/codec/frame/frame-parts.ts';
import { predictedQuantities } from '#lib/codec/frame/frame-quantities.ts';
import { writeRows } from '#lib/codec/frame/frame-rows.ts';
import { planRows, type RowPlan } from '#lib/codec/frame/row-plan.ts';
import { quantise } from '#lib/codec/quantise.ts';
import {
  KEPT_EXACTLY,
  NO_RECORDS,
  QUANTITY_NAMES,
  type QuantisedRecords,
  type QuantityName,
} from '#lib/codec/quantised-records.ts';
import { byName } from '#lib/model/record-fields.ts';
import { hasRecordings, recordedSeries, type SnapshotSeries, simulatedSeries } from './wire-snapshots.ts';

/** The gain of each stage of the compact form: bytes with and without it, with all other stages on (docs/wire.md). */
export async function wireStages(): Promise<object> {
  const recorded = hasRecordings() ? await recordedSeries() : [];
  const series = [...recorded, simulatedSeries(1000)];
  return {
    what:
      'bytes per written record, of full frames and of deltas, raw deflate; without strides or dead reckoning, ' +
      'of the columns of numbers alone and not deflated, because only these change',
    recordings: hasRecordings() ? 'read' : 'missing: simulator only',
    runs: series.map(measure),
  };
}

interface Step {
  readonly before: QuantisedRecords;
  readonly after: QuantisedRecords;
  readonly plan: RowPlan;
}

function measure({ name, snapshots }: SnapshotSeries) {
  const sets = snapshots.map((positions) => quantise(positions));
  return {
    name,
    records: Math.round(sum(sets.map(({ count }) => count)) / sets.length),
    full: worth(sets.map((set) => stepOf(NO_RECORDS, set))),
    delta: worth(sets.slice(1).map((after, index) => stepOf(sets[index] as QuantisedRecords, after))),
  };
}

function worth(steps: readonly Step[]) {
  const written = sum(steps.map(({ plan }) => plan.written.length));
  const each = (bytesOf: (step: Step) => number) => Math.round((sum(steps.map(bytesOf)) / written) * 100) / 100;
  const frames = (stage: EntropyStage, packed: typeof deflated) =>
    each(({ before, after }) => packed(encodeFrame(before, after, stage)));
  const all: NumbersCoding = { strides: true, deadReckoning: true };
  return {
    all: frames(rangeStage, deflated),
    not_deflated: frames(rangeStage, plain),
    varints: frames(varintStage, deflated),
    references: each(rowBytes),
    numbers: {
      all: each((step) => numberBytes(step, all)),
      no_strides: each((step) => numberBytes(step, { ...all, strides: false })),
      no_dead_reckoning: each((step) => numberBytes(step, { ...all, deadReckoning: false })),
    },
  };
}

/** Both sets of records in the same dictionaries, as the encoder compares them. */
function stepOf(before: QuantisedRecords, after: QuantisedRecords): Step {
  const dictionaries = withAddedTexts(before, addedTexts(before, after));
  const [old, fresh] = [restated(before, dictionaries), restated(after, dictionaries)];
  return { before: old, after: fresh, plan: planRows(old, fresh) };
}

/** Bytes of the removed and changed rows, and of the references of new ones. */
function rowBytes({ plan, after }: Step): number {
  const frame = frameWriter(0, rangeStage);
  writeRows(frame, plan, after);
  return plain(frame.finish());
}

interface NumbersCoding {
  readonly strides: boolean;
  readonly deadReckoning: boolean;
}

/** Bytes of the columns of numbers, coded as in a frame. */
function numberBytes({ before, after, plan }: Step, { strides, deadReckoning }: NumbersCoding): number {
  const frame = frameWriter(0, rangeStage);
  const stepsOf = (records: QuantisedRecords, name: QuantityName) => records.quantities[name].steps;
  const bases = byName(QUANTITY_NAMES, (name) => writeBase(frame, stepsOf(before, name), stepsOf(after, name)));
  const reckoned = predictedQuantities(before, plan, after.observedAtMs, bases);
  for (const name of QUANTITY_NAMES) {
    const last = valuesBefore(stepsOf(before, name), plan, bases[name]);
    const predicted = deadReckoning ? reckoned[name] : last;
    const steps = stepsOf(after, name);
    const differences = Int32Array.from(plan.written, (index, at) => {
      const value = steps[index] as number;
      return value > KEPT_EXACTLY ? value - (predicted[at] as number) : 0;
    });
    if (strides) writeDifferences(frame, differences);
    else frame.coded.write(differences);
  }
  return plain(frame.finish());
}

function deflated(pieces: readonly Uint8Array[]): number {
  return deflateRawSync(Buffer.concat(pieces)).byteLength;
}

function plain(pieces: readonly Uint8Array[]): number {
  return sum(pieces.map(({ byteLength }) => byteLength));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
