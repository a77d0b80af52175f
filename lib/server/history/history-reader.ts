import 'server-only';
import type { Logger } from 'pino';
import { ApiError } from '#lib/api/error-code.ts';
import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import { LEAD_IN_MAX_MS, REPLAY_MAX_WINDOW_MS } from '#lib/api/replay-window.ts';
import { HISTORY_MAX_AGE_MS, HISTORY_MAX_SPAN_DEG, LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
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
import type { PastTerms } from '../allowance/ledger.ts';
import { ONLY_SERVER } from '../database/writer-lease.ts';
import type { Part } from '../supervision/supervisor.ts';
import type { Place } from '../work/operator-queue.ts';
import { Turns } from '../work/turns.ts';
import { BoxLoad, type BoxToLoad } from './box-load.ts';
import { isWide, middleBoxes, TILES_MAX, tilesOf } from './history-area.ts';
import { type LoadEvent, loadHistory } from './history-load.ts';
import { priceOf, REQUESTS_MAX } from './history-price.ts';
import { hoursOf } from './hours-of.ts';
import type { LoadQueues } from './load-queues.ts';
import { LoadedBoxes } from './loaded-boxes.ts';
import { PartReader, type PartReaderOptions } from './parts/part-reader.ts';
import { PartsForReaders } from './parts/parts-for-readers.ts';
import { PartsFromWriter } from './parts/parts-from-writer.ts';
import type { WantedParts } from './parts/wanted-parts.ts';
import { queuedLines } from './progress-lines.ts';

/** So that operators who open windows up to now almost together share them. */
const NOW_STEP_MS = 10_000;

export interface HistoryReaderOptions extends PartReaderOptions {
  readonly queues: LoadQueues;
  /** `undefined` where unknown. */
  readonly expectedPerSecond: (layer: Layer, bbox: Bbox) => number | undefined;
  readonly livePerS: () => number;
  readonly hasSignIn: boolean;
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => LocalInstant;
  readonly servers?:
    | {
        readonly wanted: WantedParts;
        readonly part: Part;
        readonly log: Pick<Logger, 'error'>;
      }
    | undefined;
}

interface RunningLoad {
  from: UpstreamInstant | undefined;
  /** Empty while it is queued. */
  readonly boxes: BoxLoad[];
}

interface RunOptions {
  readonly operator: string;
  readonly boxes: readonly BoxToLoad[];
  readonly maxRequests: number;
  readonly running: RunningLoad;
  readonly queued: Place;
}

export class HistoryReader {
  readonly #options: HistoryReaderOptions;
  readonly #reader: PartReader;
  readonly #loaded: LoadedBoxes;
  readonly #fromWriter: PartsFromWriter | undefined;
  readonly #forReaders: PartsForReaders | undefined;

  constructor(options: HistoryReaderOptions) {
    const { client, cache, servers, now, lease = ONLY_SERVER } = options;
    const { clock } = client;
    this.#options = options;
    this.#fromWriter = servers && new PartsFromWriter({ ...servers, cache, clock, now });
    const reader = new PartReader(options, (operator) => this.#termsOf(operator), this.#fromWriter);
    this.#reader = reader;
    this.#loaded = new LoadedBoxes(reader);
    this.#forReaders =
      servers &&
      new PartsForReaders({
        ...servers,
        cache,
        clock,
        lease,
        read: (layer, part, operator, signal) => reader.readUpstream(layer, part, operator, signal),
      });
  }

  async close(): Promise<void> {
    await this.#forReaders?.close();
    await this.#fromWriter?.close();
    this.#options.queues.close();
  }

  /** @throws ApiError for a window or area that cannot be loaded */
  async cost(
    { bbox, centre, layers, window: requested, from }: HistoryQuery,
    operator: string,
    signal?: AbortSignal,
  ): Promise<HistoryCost> {
    const turns = new Turns(signal);
    const now = this.#options.client.clock.now();
    const window = loadableWindow(requested, now);
    const wide = isWide(bbox);
    const tiles = wide && hoursOf(window).length === 1 ? tilesOf(bbox) : undefined;
    const middle = middleBoxes(bbox, centre);
    await this.#reader.learn(eachLayer([...middle, ...(tiles ?? [])], layers, window));
    return {
      as_of: formatInstant(now),
      start: formatInstant(window.start),
      end: formatInstant(window.end),
      middle: await this.#costOf(middle, layers, window, from, turns),
      tiles: tiles ? await this.#costOf(tiles, layers, window, from, turns) : null,
      wide,
      has_allowance: !this.#options.ledger.isUnlimited,
      left: historyLeft(await this.#options.ledger.state(now), this.#termsOf(operator), now) ?? null,
    };
  }

  /**
   * @param signal ends every request that no other load waits for
   * @throws ApiError for a window or area that cannot be loaded, and where the operator's queue is full
   */
  load(query: HistoryQuery, operator: string, signal: AbortSignal): AsyncGenerator<LoadEvent> {
    const window = loadableWindow(query.window, this.#options.client.clock.now());
    const limit = REQUESTS_MAX * hoursOf(window).length;
    const maxRequests = Math.min(limit, query.maxRequests ?? limit);
    const boxes = eachLayer(boxesOf(query, window), query.layers, window);
    const running: RunningLoad = { from: query.from, boxes: [] };
    const seek = (from: UpstreamInstant) => {
      running.from = from;
      for (const load of running.boxes) load.startFrom(from);
    };
    const queued = this.#options.queues.enter(operator, { name: query.load, seek }, signal);
    return this.#load({ boxes, maxRequests, operator, running, queued }, signal);
  }

  /** @returns false where the operator has no load of that name */
  async seek(operator: string, name: string, from: UpstreamInstant): Promise<boolean> {
    return await this.#options.queues.seek(operator, name, from);
  }

  get loads(): LoadQueues['loads'] {
    return this.#options.queues.loads;
  }

  async *#load(
    { boxes, maxRequests, operator, running, queued }: RunOptions,
    signal: AbortSignal,
  ): AsyncGenerator<LoadEvent> {
    const { client, now, sleep } = this.#options;
    const loads = running.boxes;
    try {
      yield* queuedLines(queued, signal);
      await this.#reader.learn(boxes);
      for (const box of boxes) {
        signal.throwIfAborted();
        loads.push(await this.#begin(box, maxRequests, running.from));
      }
      const { clock } = client;
      yield* loadHistory({ loads, reader: this.#reader, operator, clock, maxRequests, signal, now, sleep });
    } finally {
      queued.leave();
    }
    for (const load of loads) this.#loaded.remember(load);
  }

  #termsOf(operator: string): PastTerms {
    const { hasSignIn, livePerS } = this.#options;
    return { operator, hasOtherOperators: hasSignIn, livePerS: livePerS() };
  }

  async #begin(box: BoxToLoad, maxRequests: number, from: UpstreamInstant | undefined): Promise<BoxLoad> {
    const { layer, bbox } = box;
    const expectedPerSecond = this.#options.expectedPerSecond(layer, bbox);
    const parts = this.#loaded.partsOf(box);
    await this.#reader.warm(layer, parts);
    const cached = parts.length > 0 ? [] : await this.#reader.readPieces(box);
    return BoxLoad.begin(box, { expectedPerSecond, maxRequests, from, parts, cached });
  }

  async #costOf(
    bboxes: readonly Bbox[],
    layers: readonly Layer[],
    window: Window,
    from: UpstreamInstant | undefined,
    turns: Turns,
  ) {
    const { expectedPerSecond } = this.#options;
    const sources = { expectedPerSecond, reader: this.#reader, loaded: this.#loaded };
    const price = await priceOf(eachLayer(bboxes, layers, window), hoursOf(window).length, sources, from, turns);
    return { ...price, boxes: bboxes.map(corners) };
  }
}

/** An hour that fails takes no other with it. */
function eachLayer(bboxes: readonly Bbox[], layers: readonly Layer[], window: Window): readonly BoxToLoad[] {
  const hours = hoursOf(window);
  return bboxes.flatMap((bbox) => layers.flatMap((layer) => hours.map((hour) => ({ layer, bbox, window: hour }))));
}

function boxesOf({ bbox, centre, wide }: HistoryQuery, window: Window): readonly Bbox[] {
  if (!isWide(bbox)) return middleBoxes(bbox);
  switch (wide) {
    case 'middle':
      return middleBoxes(bbox, centre);
    case 'tiles': {
      if (hoursOf(window).length > 1)
        throw new ApiError(
          'bad_query',
          'Tiles are loaded for an hour at most: choose a smaller area, or a shorter window.',
        );
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
 * Up to now at most.
 * @throws ApiError where it is longer than a day and its lead-in, in the future, or older than any account's history
 */
function loadableWindow({ start, end }: Window, now: UpstreamInstant): Window {
  if (msBetween(start, end) > REPLAY_MAX_WINDOW_MS + LEAD_IN_MAX_MS) {
    const [longest, leadIn] = [REPLAY_MAX_WINDOW_MS, LEAD_IN_MAX_MS].map(durationText);
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
