import 'server-only';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { HistoryQuery } from '#lib/api/query.ts';
import { LIMIT_MAX } from '#lib/contract/limits.ts';
import { type Bbox, bboxSizeDeg2, formatBbox } from '#lib/geo/bbox.ts';
import { corners } from '#lib/geo/corners.ts';
import type { Layer } from '#lib/model/position.ts';
import { formatInstant, type LocalInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { type Window, windowLengthMs } from '#lib/time/window.ts';
import type { PastTerms } from '../allowance/ledger.ts';
import { historyLeft } from '../allowance/shares.ts';
import { ONLY_SERVER } from '../database/writer-lease.ts';
import type { Part } from '../supervision/supervisor.ts';
import type { Place } from '../work/operator-queue.ts';
import { Yielding } from '../work/yielding.ts';
import { BoxLoad, type BoxToLoad } from './box-load.ts';
import { boxesOf, eachLayer, hoursOf, isWide, loadableWindow, middleBoxes, tilesOf } from './history-area.ts';
import { type LoadEvent, loadHistory } from './history-load.ts';
import type { LoadQueues } from './load-queues.ts';
import type { PastPart } from './parts/history-part.ts';
import { type CachedPiece, PartReader, type PartReaderOptions } from './parts/part-reader.ts';
import { PartsForReaders } from './parts/parts-for-readers.ts';
import { PartsFromWriter } from './parts/parts-from-writer.ts';
import type { WantedParts } from './parts/wanted-parts.ts';
import { queuedLines } from './progress-lines.ts';
import { Splitter } from './split/splitter.ts';

/** Parts that an estimate places at most: more do not improve it. */
const STEPS_MAX = 500;
/** The most requests for each hour of a load, whatever was quoted. */
const REQUESTS_MAX = 500;
/** Quotes need a margin: density is known only after loading. */
const MARGIN_FACTOR = 2;
const MARGIN_MIN = 8;
/** The quote for an hour of a place about which nothing is known: enough for a busy hour, and a small share of a day's allowance. */
const UNKNOWN_MAX = 100;
/** Boxes whose parts are remembered, and all of their parts. */
const BOXES_MAX = 2000;
/** A part takes a quarter of a kilobyte. */
const PARTS_MAX = 40_000;

export interface HistoryReaderOptions extends PartReaderOptions {
  readonly queues: LoadQueues;
  /** @returns `undefined` where it is not known */
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
  /** The boxes of the load, none while it is queued. */
  readonly boxes: BoxLoad[];
}

interface RunOptions {
  readonly operator: string;
  readonly boxes: readonly BoxToLoad[];
  readonly maxRequests: number;
  readonly running: RunningLoad;
  readonly queued: Place;
}

/**
 * The past of an area: what a load would cost, and the load itself. Operators share what was read, and each of them waits
 * only for own loads. A load sends requests only while it is read, and none beyond its maximum.
 */
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
    const yielding = new Yielding(signal);
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
      middle: await this.#costOf(middle, layers, window, from, yielding),
      tiles: tiles ? await this.#costOf(tiles, layers, window, from, yielding) : null,
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
    yielding: Yielding,
  ) {
    const { expectedPerSecond } = this.#options;
    const sources = { expectedPerSecond, reader: this.#reader, loaded: this.#loaded };
    const price = await priceOf(eachLayer(bboxes, layers, window), hoursOf(window).length, sources, from, yielding);
    return { ...price, boxes: bboxes.map(corners) };
  }
}

/** The sources of an estimate. */
interface PriceSources {
  /** Records per second in a box; `undefined` if unknown. */
  readonly expectedPerSecond: (layer: Layer, bbox: Bbox) => number | undefined;
  readonly reader: PartReader;
  readonly loaded: LoadedBoxes;
}

/**
 * Prices a replay, in requests.
 * @param hours of its window
 * @param from the cursor, from which it loads outwards
 */
async function priceOf(
  boxes: readonly BoxToLoad[],
  hours: number,
  { expectedPerSecond, reader, loaded }: PriceSources,
  from: UpstreamInstant | undefined,
  yielding: Yielding,
) {
  let expected = 0;
  let known = true;
  for (const box of boxes) {
    const perSecond = expectedPerSecond(box.layer, box.bbox);
    const parts = loaded.partsOf(box);
    const requests = await expectedRequests(box, perSecond, reader, parts, from, yielding);
    expected += requests;
    const isUnknown = perSecond === undefined && parts.length === 0 && reader.cachedPieces(box.layer, box).length === 0;
    if (requests > 0 && isUnknown) known = false;
  }
  const withMargin = Math.max(expected + MARGIN_MIN * hours, expected * MARGIN_FACTOR, known ? 0 : UNKNOWN_MAX * hours);
  return { expected, known, max_requests: expected === 0 ? 0 : Math.min(REQUESTS_MAX * hours, withMargin) };
}

/** Splits the box as if records were evenly spread. */
async function expectedRequests(
  box: BoxToLoad,
  perSecond: number | undefined,
  reader: PartReader,
  parts: readonly PastPart[],
  from: UpstreamInstant | undefined,
  yielding: Yielding,
): Promise<number> {
  if (parts.length > 0) return parts.filter((part) => !reader.isCached(box.layer, part)).length;
  const pieces = reader.cachedPieces(box.layer, box);
  const density = perSecond === undefined ? cachedDensity(pieces) : perSecond / bboxSizeDeg2(box.bbox);
  const cached = pieces.map(({ part, window }) => {
    const shareOfTime = windowLengthMs(window) / windowLengthMs(part.window);
    const shareOfArea = bboxSizeDeg2(box.bbox) / bboxSizeDeg2(part.bbox);
    return { window, records: Math.round(part.records * shareOfTime * shareOfArea) };
  });
  const splitter = new Splitter({
    bbox: box.bbox,
    window: box.window,
    maxRequests: STEPS_MAX,
    cached,
    from,
    ...(perSecond === undefined ? {} : { expectedPerSecond: perSecond }),
  });
  let requests = 0;
  for (let step = 0; step < STEPS_MAX; step++) {
    const [part] = splitter.next(1);
    if (!part) break;
    if (yielding.isDue) await yielding.next();
    const cached = reader.cached(box.layer, part);
    if (cached) {
      splitter.answered(part, { records: cached.records, truncated: cached.truncated, cached: true });
      continue;
    }
    requests++;
    const records = Math.round(density * partSize(part));
    splitter.answered(part, { records: Math.min(records, LIMIT_MAX), truncated: records > LIMIT_MAX });
  }
  return requests;
}

/** Records per second and square degree. */
function cachedDensity(pieces: readonly CachedPiece[]): number {
  const size = pieces.reduce((sum, { part }) => sum + partSize(part), 0);
  return size === 0 ? 0 : pieces.reduce((sum, { part }) => sum + part.records, 0) / size;
}

/** The size of a part in seconds times square degrees. */
function partSize({ bbox, window }: PastPart): number {
  return (bboxSizeDeg2(bbox) * windowLengthMs(window)) / 1000;
}

/** The parts of loaded boxes: opening a box again reads the same ones, all of them cached. */
class LoadedBoxes {
  readonly #reader: PartReader;
  readonly #parts = new LRUCache<string, readonly PastPart[]>({
    max: BOXES_MAX,
    maxSize: PARTS_MAX,
    sizeCalculation: ({ length }) => length,
  });

  constructor(reader: PartReader) {
    this.#reader = reader;
  }

  /** @returns none unless all of them are cached */
  partsOf(box: BoxToLoad): readonly PastPart[] {
    const parts = this.#parts.get(boxKey(box)) ?? [];
    return parts.every((part) => this.#reader.isCached(box.layer, part)) ? parts : [];
  }

  /** Remembers the parts of a finished load, and does nothing for another. */
  remember(load: BoxLoad): void {
    const parts = load.parts();
    const isWhole = parts.every(({ status }) => status === 'complete' || status === 'incomplete');
    if (!isWhole || parts.length === 0) return;
    this.#parts.set(
      boxKey(load.box),
      parts.map(({ bbox, window }) => ({ bbox, window })),
    );
  }
}

function boxKey({ layer, bbox, window }: BoxToLoad): string {
  return `${layer} ${formatBbox(bbox)} ${window.start} ${window.end}`;
}
