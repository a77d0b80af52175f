import 'server-only';
import { setImmediate as nextLoop } from 'node:timers/promises';
import type { TrailColumns } from '#lib/codec/trails.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { PlaceColumns } from './place-columns.ts';
import { AHEAD_MAX_MS, type RecentPositions, type RecentTrack } from './recent-positions.ts';

/** Between two yields: two or three milliseconds. */
const SLICE_POSITIONS = 50_000;
const STEPS_PER_DEG = 1e6;
const BIN_MS = 1000;

export interface WantedPlaces {
  readonly layer: Layer;
  /** None crosses 180°. */
  readonly boxes: readonly Bbox[];
  /** Default: all tracks. */
  readonly refs?: ReadonlySet<string> | undefined;
  /** Epoch ms. */
  readonly afterMs: number;
  readonly nowMs: number;
  /** If exceeded, about as many of the newest. */
  readonly limit: number;
}

export interface FoundPlaces {
  readonly trails: TrailColumns;
  /** Everything later was found. */
  readonly afterMs: number;
}

/** Positions that arrive meanwhile may be missing. */
export async function findPlaces(positions: RecentPositions, wanted: WantedPlaces): Promise<FoundPlaces> {
  const { layer, boxes, refs } = wanted;
  const tracks = positions
    .tracks(layer)
    .filter((track) => (!refs || refs.has(track.ref)) && boxes.some((box) => mayLieIn(track, box)));
  const afterMs = afterWhichFit(positions, tracks, wanted);
  const found = new PlaceColumns();
  const places = new PlaceColumns();
  const names: string[] = [];
  const starts: number[] = [];
  let handled = 0;
  for (const track of tracks) {
    positions.read(track, afterMs, places);
    const start = found.count;
    addWithin(places, boxes, afterMs, found);
    if (found.count > start) {
      names.push(track.ref);
      starts.push(start);
    }
    handled += places.count;
    if (handled < SLICE_POSITIONS) continue;
    handled = 0;
    await nextLoop();
  }
  const { count: end, atMs, lon, lat, height } = found;
  const trails = {
    refs: names,
    starts: Uint32Array.from([...starts, end]),
    atMs: atMs.subarray(0, end),
    lon: lon.subarray(0, end),
    lat: lat.subarray(0, end),
    height: height.subarray(0, end),
  };
  return { trails, afterMs };
}

/** Estimated from whole blocks: decoding millions of positions takes a second. */
function afterWhichFit(
  positions: RecentPositions,
  tracks: readonly RecentTrack[],
  { afterMs, nowMs, limit }: WantedPlaces,
): number {
  // Bin i is (afterMs + i × BIN_MS, afterMs + (i + 1) × BIN_MS].
  const bins = new Float64Array(Math.ceil((nowMs + AHEAD_MAX_MS - afterMs) / BIN_MS));
  const binOf = (atMs: number) => Math.max(0, Math.ceil((atMs - afterMs) / BIN_MS) - 1);
  for (const track of tracks) {
    positions.eachBlock(track, (firstMs, newestMs, count) => {
      if (newestMs <= afterMs) return;
      const last = binOf(newestMs);
      const first = Math.min(last, binOf(firstMs));
      const each = count / (last - first + 1);
      for (let bin = first; bin <= last; bin++) bins[bin] = (bins[bin] as number) + each;
    });
  }
  let left = limit;
  let bin = bins.length;
  while (bin > 0 && (bins[bin - 1] as number) <= left) left -= bins[--bin] as number;
  return afterMs + bin * BIN_MS;
}

function addWithin(
  { count, atMs, lon, lat, height }: PlaceColumns,
  boxes: readonly Bbox[],
  afterMs: number,
  found: PlaceColumns,
): void {
  for (let index = 0; index < count; index++) {
    const at = atMs[index] as number;
    if (at <= afterMs) continue;
    const lonSteps = lon[index] as number;
    const latSteps = lat[index] as number;
    for (const box of boxes) {
      if (!bboxContains(box, lonSteps / STEPS_PER_DEG, latSteps / STEPS_PER_DEG)) continue;
      found.push(at, lonSteps, latSteps, height[index] as number);
      break;
    }
  }
}

function mayLieIn({ west, south, east, north }: RecentTrack, box: Bbox): boolean {
  return (
    west <= box.east * STEPS_PER_DEG &&
    east >= box.west * STEPS_PER_DEG &&
    south <= box.north * STEPS_PER_DEG &&
    north >= box.south * STEPS_PER_DEG
  );
}
