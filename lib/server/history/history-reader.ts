import 'server-only';
import type { HistoryCost } from '#lib/api/history-cost.ts';
import { LEAD_IN_MAX_MS } from '#lib/api/lead-in.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import {
  HISTORY_MAX_AGE_MS,
  HISTORY_MAX_SPAN_DEG,
  HISTORY_MAX_WINDOW_MS,
  LOOKBACK_MAX_DAYS,
} from '#lib/contract/limits.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import { durationText } from '#lib/model/duration-text.ts';
import type { Layer } from '#lib/model/position.ts';
import {
  addMs,
  epochMs,
  formatInstant,
  type LocalInstant,
  msBetween,
  type UpstreamInstant,
  upstreamInstant,
} from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { historyLeft } from '../allowance/history-left.ts';
import { ApiError } from '../api-error.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { BoxLoad, type BoxToLoad } from './box-load.ts';
import { isWide, middleBoxes, TILES_MAX, tilesOf } from './history-area.ts';
import { type LoadEvent, loadHistory } from './history-load.ts';
import type { HistoryPart } from './history-part.ts';
import { expectedRequests } from './history-price.ts';
import { LoadedBoxes } from './loaded-boxes.ts';
import type { PartCache } from './part-cache.ts';
import { PartReader } from './part-reader.ts';

/** A window that reaches to now ends at a multiple of this, so that operators who open it at about the same time share it. */
const NOW_STEP_MS = 10_000;
/** Hard limit of requests per load, whatever was quoted. */
export const REQUESTS_MAX = 500;
/** A load keeps to its quote, so the quote has room: density is known only after loading. */
const ROOM = 2;
const ROOM_MIN = 8;
/** Quoted where nothing is known: enough for an hour of a busy place, and a small share of a day's allowance. */
const UNKNOWN_MAX = 100;

export interface HistoryReaderOptions {
  readonly client: UpstreamClient;
  readonly ledger: Ledger;
  readonly cache: PartCache;
  /** Records per second expected in a box, from the live traffic; `undefined` where that is unknown. */
  readonly expectedPerSecond: (layer: Layer, bbox: Bbox) => number | undefined;
  readonly now: () => LocalInstant;
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface RunOptions extends Pick<HistoryQuery, 'from' | 'load'> {
  readonly maxRequests: number;
}

/** Loads history for operators. What was loaded once costs no further requests, for any of them. */
export class HistoryReader {
  readonly #options: HistoryReaderOptions;
  readonly #reader: PartReader;
  readonly #loaded: LoadedBoxes;
  /** By the name that its page gave it. */
  readonly #running = new Map<string, readonly BoxLoad[]>();

  constructor(options: HistoryReaderOptions) {
    this.#options = options;
    this.#reader = new PartReader(options.client, options.ledger, options.cache);
    this.#loaded = new LoadedBoxes(this.#reader);
  }

  /** @throws ApiError for a window or area that cannot be loaded */
  async cost({ bbox, centre, layers, window: requested, from }: HistoryQuery): Promise<HistoryCost> {
    const now = this.#options.client.clock.now();
    const window = loadableWindow(requested, now);
    const wide = isWide(bbox);
    const tiles = wide ? tilesOf(bbox) : undefined;
    return {
      as_of: formatInstant(now),
      start: formatInstant(window.start),
      end: formatInstant(window.end),
      middle: this.#costOf(middleBoxes(bbox, centre), layers, window, from),
      tiles: tiles ? this.#costOf(tiles, layers, window, from) : null,
      wide,
      left: historyLeft(await this.#options.ledger.state(now)) ?? null,
    };
  }

  /**
   * @param signal ends the load, and with it every request that no other load waits for
   * @throws ApiError for a window or area that cannot be loaded
   */
  load(query: HistoryQuery, signal: AbortSignal): AsyncGenerator<LoadEvent> {
    const window = loadableWindow(query.window, this.#options.client.clock.now());
    const maxRequests = Math.min(REQUESTS_MAX, query.maxRequests ?? REQUESTS_MAX);
    const boxes = boxesOf(query).flatMap((bbox) => query.layers.map((layer): BoxToLoad => ({ layer, bbox, window })));
    return this.#load(boxes, { ...query, maxRequests }, signal);
  }

  /** A running load goes outwards from another instant from now on. @returns false where there is no such load */
  seek(name: string, from: UpstreamInstant): boolean {
    const loads = this.#running.get(name);
    for (const load of loads ?? []) load.startFrom(from);
    return loads !== undefined;
  }

  async *#load(
    boxes: readonly BoxToLoad[],
    { maxRequests, from, load: name }: RunOptions,
    signal: AbortSignal,
  ): AsyncGenerator<LoadEvent> {
    const { client, now, sleep } = this.#options;
    const loads: BoxLoad[] = [];
    for (const box of boxes) {
      signal.throwIfAborted();
      loads.push(await this.#begin(box, maxRequests, from));
    }
    if (name !== undefined) this.#running.set(name, loads);
    try {
      yield* loadHistory({ loads, reader: this.#reader, clock: client.clock, maxRequests, signal, now, sleep });
    } finally {
      if (name !== undefined && this.#running.get(name) === loads) this.#running.delete(name);
    }
    for (const load of loads) this.#loaded.remember(load);
  }

  async #begin(box: BoxToLoad, maxRequests: number, from: UpstreamInstant | undefined): Promise<BoxLoad> {
    const { layer, bbox } = box;
    const expectedPerSecond = this.#options.expectedPerSecond(layer, bbox);
    const parts = this.#loaded.partsOf(box);
    const cached: HistoryPart[] = [];
    for (const piece of parts.length > 0 ? [] : this.#reader.cachedPieces(layer, box)) {
      const part = await this.#reader.cachedPiece(layer, piece, bbox);
      if (part) cached.push(part);
    }
    return BoxLoad.begin(box, { expectedPerSecond, maxRequests, from, parts, cached });
  }

  #costOf(bboxes: readonly Bbox[], layers: readonly Layer[], window: Window, from: UpstreamInstant | undefined) {
    let expected = 0;
    let known = true;
    for (const bbox of bboxes) {
      for (const layer of layers) {
        const box = { layer, bbox, window };
        const perSecond = this.#options.expectedPerSecond(layer, bbox);
        const parts = this.#loaded.partsOf(box);
        const requests = expectedRequests(box, perSecond, this.#reader, parts, from);
        expected += requests;
        const isUnknown =
          perSecond === undefined && parts.length === 0 && this.#reader.cachedPieces(layer, box).length === 0;
        if (requests > 0 && isUnknown) known = false;
      }
    }
    const room = Math.max(expected + ROOM_MIN, expected * ROOM, known ? 0 : UNKNOWN_MAX);
    const maxRequests = expected === 0 ? 0 : Math.min(REQUESTS_MAX, room);
    return { expected, known, max_requests: maxRequests, boxes: bboxes.map(corners) };
  }
}

function boxesOf({ bbox, centre, wide }: HistoryQuery): readonly Bbox[] {
  if (!isWide(bbox)) return middleBoxes(bbox);
  switch (wide) {
    case 'middle':
      return middleBoxes(bbox, centre);
    case 'tiles': {
      const tiles = tilesOf(bbox);
      if (!tiles)
        throw new ApiError(
          'bad_query',
          `This area takes more than ${TILES_MAX} tiles of ${HISTORY_MAX_SPAN_DEG}°: choose a smaller one.`,
        );
      return tiles;
    }
    case undefined:
      throw new ApiError(
        'bad_query',
        `The area is over ${HISTORY_MAX_SPAN_DEG}° wide or high: add wide=middle to load its centre, or wide=tiles to load all of it.`,
      );
  }
}

/**
 * The part of a window that can be loaded: up to now at most.
 * @throws ApiError where it is longer than an hour and its lead-in, in the future, or older than any account's history
 */
function loadableWindow({ start, end }: Window, now: UpstreamInstant): Window {
  if (msBetween(start, end) > HISTORY_MAX_WINDOW_MS + LEAD_IN_MAX_MS) {
    const [longest, leadIn] = [HISTORY_MAX_WINDOW_MS, LEAD_IN_MAX_MS].map(durationText);
    throw new ApiError('bad_query', `A replay is at most ${longest} long, with at most ${leadIn} before it.`);
  }
  if (start < addMs(now, -HISTORY_MAX_AGE_MS)) {
    const reach = `${LOOKBACK_MAX_DAYS} days`;
    throw new ApiError('outside_lookback', `This starts more than ${reach} ago; no history goes back that far.`);
  }
  const endsAt = end <= now ? end : upstreamInstant(Math.floor(epochMs(now) / NOW_STEP_MS) * NOW_STEP_MS);
  if (endsAt <= start)
    throw new ApiError('bad_query', 'This window is in the future: choose one that has already started.');
  return { start, end: endsAt };
}
