import 'server-only';
import { setImmediate as nextLoop } from 'node:timers/promises';
import type { TrailsAnswer, TrailsHead, TrailsLayerHead, TrailsView } from '#lib/api/trails-answer.ts';
import { writeHead } from '#lib/codec/json-head.ts';
import { DEGREE_STEPS, METRE_STEPS, toUnits } from '#lib/codec/steps.ts';
import { encodeTrails, type TrailColumns } from '#lib/codec/trails.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import { type Bbox, bboxContains, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { Layer } from '#lib/model/position.ts';
import { epochMs, formatInstant, isoTime, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { deflated } from '../database/deflated.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { Yielding } from '../work/yielding.ts';
import { PlaceColumns } from './position-blocks.ts';
import { AHEAD_MAX_MS, type RecentPositions, type RecentTrack } from './recent-positions.ts';
import type { TrailStore } from './trail-store.ts';

/** Positions of a layer: as many as a page draws. */
const POSITIONS_MAX = 200_000;
/** Positions between two turns of the event loop: two or three milliseconds. */
const SLICE_POSITIONS = 50_000;
/** The precision of the estimate that decides which positions fit. */
const BIN_MS = 1000;

export interface TrailsQuery {
  readonly bbox: Bbox;
  readonly centre?: LonLat | undefined;
  readonly layers: readonly Layer[];
  /** The tracks to read; all by default. */
  readonly tracks?: ReadonlySet<string> | undefined;
}

interface LayerTrails {
  readonly layer: Layer;
  readonly head: TrailsLayerHead;
  readonly trails: TrailColumns;
}

/** Answers with the trails of an area, from memory. It registers no demand, and requests nothing. */
export class TrailsReader {
  readonly #keeper: TrailStore;
  readonly #clock: UpstreamClock;

  constructor(keeper: TrailStore, clock: UpstreamClock) {
    this.#keeper = keeper;
    this.#clock = clock;
  }

  async readJson(query: TrailsQuery): Promise<TrailsAnswer> {
    const { view, layers } = await this.#read(query);
    const yielding = new Yielding();
    const answers: TrailsAnswer['layers'] = {};
    for (const { layer, head, trails } of layers)
      answers[layer] = { ...head, trails: await trailsJson(layer, trails, yielding) };
    return { ...view, layers: answers };
  }

  /** The answer in the form of lib/api/trails-answer.ts. */
  async readCompact(query: TrailsQuery): Promise<Uint8Array> {
    const { view, layers } = await this.#read(query);
    const bodies: Uint8Array[] = [];
    const heads: TrailsHead['layers'] = {};
    for (const { layer, head, trails } of layers) {
      const body = await deflated(encodeTrails(trails));
      bodies.push(body);
      heads[layer] = { ...head, bytes: body.byteLength };
    }
    return Buffer.concat([writeHead({ ...view, layers: heads }), ...bodies]);
  }

  async #read({ bbox, centre, layers, tracks }: TrailsQuery): Promise<{ view: TrailsView; layers: LayerTrails[] }> {
    const { positions } = this.#keeper;
    const { bbox: covered, capped } = capBbox(bbox, LIVE_MAX_SPAN_DEG, centre);
    const boxes = splitAtAntimeridian(covered);
    const now = this.#clock.now();
    const found: LayerTrails[] = [];
    for (const layer of (['rid', 'adsb'] as const).filter((each) => layers.includes(each))) {
      const nowMs = epochMs(now);
      const afterMs = nowMs - positions.keptMs;
      const limit = POSITIONS_MAX;
      const { trails, afterMs: foundAfterMs } = await findPlaces(positions, {
        layer,
        boxes,
        refs: tracks,
        afterMs,
        nowMs,
        limit,
      });
      const head = {
        ...this.#since(layer, boxes, now, foundAfterMs > afterMs ? upstreamInstant(foundAfterMs) : undefined),
        tracks: trails.refs.length,
        positions: trails.atMs.length,
      };
      found.push({ layer, head, trails });
    }
    return {
      view: {
        as_of: formatInstant(now),
        kept_ms: positions.keptMs,
        requested: corners(bbox),
        covered: boxes.map(corners),
        capped,
      },
      layers: found,
    };
  }

  /** @param leftOutUntil positions up to then do not fit the answer */
  #since(
    layer: Layer,
    boxes: readonly Bbox[],
    now: UpstreamInstant,
    leftOutUntil: UpstreamInstant | undefined,
  ): Pick<TrailsLayerHead, 'since' | 'shortened'> {
    const { positions, times } = this.#keeper;
    const followedSince = times.since(layer, boxes, now);
    if (followedSince === undefined) return { since: null, shortened: null };
    let since = followedSince;
    let shortened: TrailsLayerHead['shortened'] = null;
    const dropped = upstreamInstant(positions.droppedUntilMs);
    if (dropped > since) [since, shortened] = [dropped, 'memory'];
    if (leftOutUntil !== undefined && leftOutUntil > since) [since, shortened] = [leftOutUntil, 'size'];
    return { since: formatInstant(since), shortened };
  }
}

async function trailsJson(layer: Layer, { refs, starts, atMs, lon, lat, height }: TrailColumns, yielding: Yielding) {
  const name = layer === 'rid' ? 'height_agl_m' : 'altitude_m';
  const trails: NonNullable<TrailsAnswer['layers'][Layer]>['trails'] = [];
  for (const [track, ref] of refs.entries()) {
    const positions = Array.from(atMs.subarray(starts[track], starts[track + 1]), (ms, offset) => {
      const index = (starts[track] as number) + offset;
      const metres = toUnits(height[index] as number, METRE_STEPS);
      return {
        observed_at: isoTime(ms),
        longitude: toUnits(lon[index] as number, DEGREE_STEPS),
        latitude: toUnits(lat[index] as number, DEGREE_STEPS),
        [name]: Number.isNaN(metres) ? null : metres,
      };
    });
    trails.push({ public_track_id: ref, positions });
    if (yielding.isDue) await yielding.next();
  }
  return trails;
}

interface WantedPlaces {
  readonly layer: Layer;
  /** Boxes that do not cross 180°. */
  readonly boxes: readonly Bbox[];
  /** The references to find; all by default. */
  readonly refs?: ReadonlySet<string> | undefined;
  /** Epoch milliseconds after which places are found. */
  readonly afterMs: number;
  readonly nowMs: number;
  /** The positions to find. If there are more, about as many of the newest are found. */
  readonly limit: number;
}

interface FoundPlaces {
  readonly trails: TrailColumns;
  /** Everything after this time was found. */
  readonly afterMs: number;
}

/** Finds the places of an area. Positions that arrive meanwhile may be missing. */
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
      if (!bboxContains(box, lonSteps / DEGREE_STEPS, latSteps / DEGREE_STEPS)) continue;
      found.push(at, lonSteps, latSteps, height[index] as number);
      break;
    }
  }
}

function mayLieIn({ west, south, east, north }: RecentTrack, box: Bbox): boolean {
  return (
    west <= box.east * DEGREE_STEPS &&
    east >= box.west * DEGREE_STEPS &&
    south <= box.north * DEGREE_STEPS &&
    north >= box.south * DEGREE_STEPS
  );
}
