import { decodeFrame, encodeFrame } from '#lib/codec/frame.ts';
import { type Records, recordsOf } from '#lib/codec/records.ts';
import type { Position } from '#lib/model/position.ts';
import { deflated } from '#lib/server/database/deflated.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Source } from '#service/sources/observation.ts';
import { makeSimulator } from '#service/sources/simulator/simulator.ts';
import { rounded, sum, timed } from './figures.ts';
import { BUSIEST, NEVADA, openRecording, received, SWISS } from './recordings.ts';

const GOAL = { full_bytes: 24, delta_bytes: 8, from_records: 40 };
const RUNS = 30;
const WORLD = { west: -180, south: -90, east: 180, north: 90 };

interface Series {
  readonly name: string;
  readonly snapshots: readonly (readonly Position[])[];
}

export async function bench(): Promise<object> {
  const runs = [];
  for (const series of [...(await recordedSeries()), simulated(1000), simulated(20_000)])
    runs.push(await measure(series));
  return {
    what: 'one area in the compact form, raw deflate: bytes per record of a full frame, and per new or changed record of a delta. Processor time in ms, warm, without compressing',
    goal: GOAL,
    // A frame's fixed cost dominates smaller areas.
    reached: runs
      .filter(({ records }) => records >= GOAL.from_records)
      .every(({ full_bytes, delta_bytes }) => full_bytes <= GOAL.full_bytes && delta_bytes <= GOAL.delta_bytes),
    runs,
  };
}

/** The Swiss recording has a grid of 10 s. */
async function recordedSeries(): Promise<readonly Series[]> {
  const [swiss, nevada] = [await openRecording(SWISS), await openRecording(NEVADA)];
  return [
    series('Switzerland, densest minutes', 10, 30, (now) => seen(swiss, now)),
    series('Nevada, densest minutes', 10, 30, (now) => seen(nevada, now)),
    series('Switzerland, 30 snapshots overlaid', 10, 4, (now) => overlaid(swiss, now, 30)),
  ];
}

function simulated(aircraft: number): Series {
  const source = makeSimulator({ seed: 1, aircraft, drones: 0 });
  return series(`simulator, ${aircraft} aircraft`, 5, 2, (now) => seen(source, now));
}

function series(name: string, everyS: number, count: number, at: (now: UpstreamInstant) => Position[]): Series {
  const snapshots = Array.from({ length: count }, (_, step) => at(addMs(BUSIEST, step * everyS * SECOND_MS)));
  return { name: `${name}, every ${everyS} s`, snapshots };
}

function seen(source: Source, now: UpstreamInstant): Position[] {
  return source.live('adsb', WORLD, now).map((observation) => received(observation));
}

/** Snapshots 12 minutes apart, with own tracks. */
function overlaid(source: Source, now: UpstreamInstant, count: number): Position[] {
  return Array.from({ length: count }, (_, index) => {
    const earlierMs = index * 12 * MINUTE_MS;
    return source.live('adsb', WORLD, addMs(now, -earlierMs)).map((each) =>
      received({
        ...each,
        sourceId: `${each.sourceId}/${index}`,
        observedAt: addMs(each.observedAt, earlierMs),
      }),
    );
  }).flat();
}

async function measure({ name, snapshots }: Series) {
  const sets = snapshots.map(recordsOf);
  const steps = sets.slice(1).map((after, index) => ({ before: sets[index] as Records, after }));
  const deltas = steps.map(({ before, after }) => encodeFrame(after, before));
  const changes = steps.map(({ before }, index) => decodeFrame(deltas[index] as Uint8Array, before).changed.length);
  const records = sum(sets.map(({ count }) => count));
  const bytes = async (frames: readonly Uint8Array[]) =>
    sum((await Promise.all(frames.map(deflated))).map(({ byteLength }) => byteLength));
  const { before, after } = steps.at(-1) as (typeof steps)[number];
  const [full, delta] = [encodeFrame(after), encodeFrame(after, before)];
  return {
    name,
    records: Math.round(records / sets.length),
    full_bytes: rounded((await bytes(sets.map((set) => encodeFrame(set)))) / records),
    delta_bytes: rounded((await bytes(deltas)) / sum(changes)),
    unchanged_bytes: await bytes([encodeFrame(after, after)]),
    encode_full_ms: meanMs(() => encodeFrame(after)),
    encode_delta_ms: meanMs(() => encodeFrame(after, before)),
    decode_full_ms: meanMs(() => decodeFrame(full)),
    apply_delta_ms: meanMs(() => decodeFrame(delta, before)),
  };
}

/** Linux gives processor time in steps. */
function meanMs(run: () => unknown): number {
  const runs = () => {
    for (let index = 0; index < RUNS; index++) run();
  };
  runs();
  return rounded(timed(runs)[1] / RUNS);
}
