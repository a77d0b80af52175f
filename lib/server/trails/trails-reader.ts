import 'server-only';
import type { TrailsAnswer, TrailsHead, TrailsLayerHead, TrailsView } from '#lib/api/trails-answer.ts';
import { writeHead } from '#lib/codec/json-head.ts';
import { encodeTrails, metresOfSteps, type TrailColumns } from '#lib/codec/trails.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import type { Layer } from '#lib/model/position.ts';
import { deflated } from '#lib/server/database/deflated.ts';
import { epochMs, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { UpstreamClock } from '../upstream/upstream-clock.ts';
import { Turns } from '../work/turns.ts';
import { findPlaces } from './find-places.ts';
import type { TrailStore } from './trail-store.ts';

/** As many as a page draws. */
const POSITIONS_MAX = 200_000;
const STEPS_PER_DEG = 1e6;

export interface TrailsQuery {
  readonly bbox: Bbox;
  readonly centre?: LonLat | undefined;
  readonly layers: readonly Layer[];
  /** Default: all. */
  readonly tracks?: ReadonlySet<string> | undefined;
}

interface LayerTrails {
  readonly layer: Layer;
  readonly head: TrailsLayerHead;
  readonly trails: TrailColumns;
}

/** Registers no demand. */
export class TrailsReader {
  readonly #keeper: TrailStore;
  readonly #clock: UpstreamClock;

  constructor(keeper: TrailStore, clock: UpstreamClock) {
    this.#keeper = keeper;
    this.#clock = clock;
  }

  async readJson(query: TrailsQuery): Promise<TrailsAnswer> {
    const { view, layers } = await this.#read(query);
    const turns = new Turns();
    const answers: TrailsAnswer['layers'] = {};
    for (const { layer, head, trails } of layers)
      answers[layer] = { ...head, trails: await trailsJson(layer, trails, turns) };
    return { ...view, layers: answers };
  }

  /** See lib/api/trails-answer.ts. */
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

async function trailsJson(layer: Layer, { refs, starts, atMs, lon, lat, height }: TrailColumns, turns: Turns) {
  const name = layer === 'rid' ? 'height_agl_m' : 'altitude_m';
  const trails: NonNullable<TrailsAnswer['layers'][Layer]>['trails'] = [];
  for (const [track, ref] of refs.entries()) {
    const positions = Array.from(atMs.subarray(starts[track], starts[track + 1]), (ms, offset) => {
      const index = (starts[track] as number) + offset;
      const metres = metresOfSteps(height[index] as number);
      return {
        observed_at: formatInstant(upstreamInstant(ms)),
        longitude: (lon[index] as number) / STEPS_PER_DEG,
        latitude: (lat[index] as number) / STEPS_PER_DEG,
        [name]: Number.isNaN(metres) ? null : metres,
      };
    });
    trails.push({ public_track_id: ref, positions });
    if (turns.isDue) await turns.next();
  }
  return trails;
}
