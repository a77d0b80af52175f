import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { inflateRawSync } from 'node:zlib';
import { trailsHeadSchema } from '#lib/api/trails-answer.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { decodeTrails } from '#lib/codec/trails.ts';
import type { Position } from '#lib/model/position.ts';
import { makeDice, seededKey } from '#lib/random/seeded-random.ts';
import { areaOf } from '#lib/server/live/area-of.ts';
import { AreaReads } from '#lib/server/live/area-reads.ts';
import { TrailStore } from '#lib/server/trails/trail-store.ts';
import { TrailsReader } from '#lib/server/trails/trails-reader.ts';
import { toPosition } from '#lib/server/upstream/to-position.ts';
import { UpstreamClock } from '#lib/server/upstream/upstream-clock.ts';
import { addMs, epochMs, localInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { REFERENCE_PERIOD_MS } from '#service/references/public-reference.ts';
import { cacheReferences } from '#service/references/reference-cache.ts';
import { makeSimulator } from '#service/sources/simulator/simulator.ts';
import { wireRecord } from '#service/wire/wire-record.ts';
import { spread } from './spread.ts';

const GOAL = { memory_mb: 60, answer_ms: 300, bytes_a_position: 12 };
const MINUTES = 15;
const EVERY_MS = 5000;
const ANSWERS = 20;
const SIMULATED = 1000;
const START = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const WORLD = { west: -180, south: -90, east: 180, north: 90 };
/** Around the whole traffic: as much as a view may show. */
const VIEW = { west: -10, south: 30, east: 20, north: 60 };

/** The memory of a quarter of an hour of 20,000 tracks, and what a page that opens over 1000 of them gets. */
export async function trails(): Promise<object> {
  const many = await measure(20_000);
  const few = await measure(1000);
  return {
    what: `simulated aircraft (a thousand, and copies of them elsewhere), all inside one view, each read every ${EVERY_MS / 1000} s for ${MINUTES} min; memory after garbage collection; ${ANSWERS} answers in the compact form, found, encoded and compressed (answer_ms), then decompressed and decoded (open_ms); cpu_ms: processor time of both together`,
    goal: GOAL,
    reached:
      many.memory_mb_of_3600000 <= GOAL.memory_mb &&
      few.cpu_ms.median <= GOAL.answer_ms &&
      few.bytes_a_position <= GOAL.bytes_a_position,
    runs: [many, few],
  };
}

async function measure(aircraft: number) {
  const observe = observer(aircraft);
  const area = areaOf('adsb', VIEW);
  const steps = (MINUTES * 60_000) / EVERY_MS;
  const now = addMs(START, (steps - 1) * EVERY_MS);
  // Once without keeping anything: what the simulator and its references keep is not counted.
  for (let step = 0; step < steps; step += 20) observe(addMs(START, step * EVERY_MS));
  const before = usedBytes();
  const reads = new AreaReads();
  const keeper = new TrailStore(reads);
  const keepMs: number[] = [];
  for (let step = 0; step < steps; step++) {
    const at = addMs(START, step * EVERY_MS);
    const positions = observe(at);
    const startMs = performance.now();
    reads.publish({ kind: 'read', area, positions, readAt: at, isComplete: true });
    keepMs.push(performance.now() - startMs);
  }
  const memory = usedBytes() - before;
  const clock = new UpstreamClock(() => localInstant(epochMs(now)));
  const reader = new TrailsReader(keeper, clock);
  const query = { bbox: VIEW, layers: ['adsb'] as const };
  const answerMs: number[] = [];
  const openMs: number[] = [];
  const cpuMs: number[] = [];
  let answered = { bytes: 0, tracks: 0, positions: 0, shortened: null as string | null };
  for (let count = 0; count < ANSWERS; count++) {
    const cpuBefore = process.cpuUsage();
    const startMs = performance.now();
    const answer = await reader.readCompact(query);
    const answeredMs = performance.now();
    const { head, end } = splitHead(answer);
    const { tracks = 0, positions = 0, shortened = null } = trailsHeadSchema.parse(head).layers.adsb ?? {};
    decodeTrails(inflateRawSync(answer.subarray(end)));
    answerMs.push(answeredMs - startMs);
    openMs.push(performance.now() - answeredMs);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpuMs.push((user + system) / 1000);
    answered = { bytes: answer.byteLength, tracks, positions, shortened };
  }
  let kept = 0;
  for (const track of keeper.positions.tracks('adsb'))
    keeper.positions.eachBlock(track, (_first, _newest, count) => {
      kept += count;
    });
  return {
    aircraft,
    kept_positions: kept,
    memory_mb: Math.round(memory / 1e5) / 10,
    // The simulated aircraft are not all received every five seconds.
    memory_mb_of_3600000: Math.round((memory / kept) * 36) / 10,
    memory_bytes_a_position: Math.round((memory / kept) * 10) / 10,
    keep_ms: spread(keepMs),
    answer_ms: spread(answerMs),
    open_ms: spread(openMs),
    cpu_ms: spread(cpuMs),
    ...answered,
    bytes_a_position: Math.round((answered.bytes / answered.positions) * 100) / 100,
  };
}

/** Positions of that many aircraft: simulated ones, each flying from another place of the view, and again from other places. */
function observer(aircraft: number): (at: UpstreamInstant) => ReadonlyMap<string, Position> {
  const source = makeSimulator({ seed: 1, aircraft: SIMULATED, drones: 0 });
  const dice = makeDice(seededKey(1, 0, 0));
  const referenceOf = cacheReferences({
    secret: new TextEncoder().encode('the benchmark has no secrets'),
    prefix: 'RX',
    periodMs: REFERENCE_PERIOD_MS,
  });
  const movedBy = new Map<string, { readonly lon: number; readonly lat: number }>();
  return (at) => {
    const positions = new Map<string, Position>();
    const observed = source.live('adsb', WORLD, at).map((observation) => ({
      sourceId: observation.sourceId,
      position: toPosition(wireRecord('live', 'RX-A-0000000000000000', observation)) as Position,
    }));
    for (let copy = 0; copy < aircraft / SIMULATED; copy++) {
      for (const { sourceId, position } of observed) {
        const reference = referenceOf(`${sourceId}/${copy}`, 'adsb', START);
        const by = movedBy.get(reference) ?? {
          lon: dice.between(-5, 15) - position.lon,
          lat: dice.between(35, 55) - position.lat,
        };
        movedBy.set(reference, by);
        positions.set(reference, {
          ...position,
          ref: reference,
          lon: position.lon + by.lon,
          lat: position.lat + by.lat,
        });
      }
    }
    return positions;
  };
}

function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
