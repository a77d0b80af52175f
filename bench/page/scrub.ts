import { ReplayCursor } from '#lib/client/replay/store/replay-cursor.ts';
import { ReplayStore } from '#lib/client/replay/store/replay-store.ts';
import { decodeFrame, encodeFrame } from '#lib/codec/frame.ts';
import { type ObservationColumns, observationsOf } from '#lib/codec/record-columns.ts';
import { recordsOf } from '#lib/codec/records.ts';
import { drawPicture } from '#lib/picture/draw-picture.ts';
import { makePicture } from '#lib/picture/picture.ts';
import { addMs, epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { heapMb, quantile, rounded, spread } from '../figures.ts';
import { received } from '../recordings.ts';
import { gridAt } from './moving-grid.ts';

const GOAL = { seek_median_ms: 4, seek_worst_ms: 16, heap_mb: 120 };
const OBSERVATIONS = 1_000_000;
const START = upstreamInstant(Date.UTC(2026, 10, 21, 10));
const SEEKS = 1000;
const WARM_UP = 50;
/** Only the fastest counts: others include other work. */
const ROUNDS = 3;

export async function bench(): Promise<object> {
  const [run, manyTracks] = [await measure(3000), await measure(20_000)];
  return {
    what: `${OBSERVATIONS} observations in the store, cursor and picture of a replay, in Node; milliseconds`,
    goal: GOAL,
    reached:
      run.seek_ms.median <= GOAL.seek_median_ms && run.seek_ms.max <= GOAL.seek_worst_ms && run.heap_mb <= GOAL.heap_mb,
    runs: [run, manyTracks],
  };
}

async function measure(tracks: number) {
  const emptyMb = await heapMb();
  const store = new ReplayStore({ window: { start: START, end: addMs(START, HOUR_MS) } });
  const cursor = new ReplayCursor(store);
  const picture = makePicture(Math.max(1024, 2 * tracks));
  const addedMs: number[] = [];
  for (const part of partsOf(tracks)) {
    const [{ added }, tookMs] = timed(() => store.add(part));
    if (added !== part.count) throw new Error(`${part.count - added} observations were not added`);
    addedMs.push(tookMs);
  }
  const filledMb = await heapMb();
  // The golden ratio covers the hour evenly, never in order.
  const seek = (index: number) =>
    timed(() => {
      const atMs = epochMs(START) + ((index * 0.618_033_988_75) % 1) * HOUR_MS;
      cursor.seek(atMs);
      drawPicture(cursor.columns, atMs, [], picture);
    })[1];
  for (let index = 0; index < WARM_UP; index++) seek(index);
  return {
    tracks,
    drawn: picture.count,
    seek_ms: spread(fastestSeeks(seek)),
    add_part_ms: quantile(addedMs, 0.5),
    heap_mb: rounded(filledMb - emptyMb, 1),
  };
}

function* partsOf(tracks: number): Generator<ObservationColumns> {
  const count = Math.round(OBSERVATIONS / tracks);
  // Coprime to 333 and 50, so that each part is visited once.
  const stride = 217;
  for (let visit = 0; visit < count; visit++) {
    const at = addMs(START, Math.floor((((visit * stride) % count) * HOUR_MS) / count));
    const positions = gridAt(tracks, at).map((observation) => received(observation, 'history'));
    yield observationsOf(decodeFrame(encodeFrame(recordsOf(positions))).records);
  }
}

function fastestSeeks(seek: (index: number) => number): number[] {
  const rounds = Array.from({ length: ROUNDS }, () => Array.from({ length: SEEKS }, (_, index) => seek(index)));
  return Array.from({ length: SEEKS }, (_, index) => Math.min(...rounds.map((round) => round[index] as number)));
}

/** Finer than processor time, which Linux gives in steps. */
function timed<Result>(work: () => Result): readonly [Result, number] {
  const beganMs = performance.now();
  const result = work();
  return [result, performance.now() - beganMs];
}
