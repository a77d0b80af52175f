import 'server-only';
import { positionsOf } from '#lib/codec/record-columns.ts';
import { operationId } from '#lib/contract/operation.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs } from '#lib/time/instant.ts';
import { windowContains } from '#lib/time/window.ts';
import type { Ledger } from '../ports/ledger.ts';
import { Budget } from '../upstream/budget.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import type { Page } from '../upstream/read-page.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { type CachedPiece, cachedPieces } from './cached-pieces.ts';
import { type HistoryPart, partKey, type WholePart } from './history-part.ts';
import { packObservations, unpackObservations } from './pack-observations.ts';
import type { PartCache } from './part-cache.ts';
import type { Part } from './split/part.ts';

/** What was received is told with a little delay; a window is closed, and kept, when it ended that long ago. */
export const SETTLED_AFTER_MS = 30_000;

/** `requests`: made to the upstream on behalf of this reader; of several who wait for one, the first counts it. */
export type PartOutcome = { readonly requests: number } & (
  | { readonly kind: 'part'; readonly part: HistoryPart }
  | { readonly kind: 'blocked'; readonly cooldown: Cooldown }
);

interface UnderWay {
  readonly outcome: Promise<PartOutcome>;
  readonly abort: AbortController;
  waiting: number;
}

/**
 * Reads parts of the past, each once for everybody: from the cache, by joining a request that is under way, or from the
 * upstream. A request that nobody waits for any more is not made.
 */
export class PartReader {
  readonly #client: UpstreamClient;
  readonly #ledger: Ledger;
  readonly #cache: PartCache;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(client: UpstreamClient, ledger: Ledger, cache: PartCache) {
    this.#client = client;
    this.#ledger = ledger;
    this.#cache = cache;
  }

  /** Whether reading it would cost nothing. */
  isCached(layer: Layer, part: Part): boolean {
    return this.#cache.has(layer, part) || this.#around(layer, part) !== undefined;
  }

  /** Why no part of the layer can be asked for now. */
  cooldown(layer: Layer): Cooldown | undefined {
    return this.#client.cooldown({ operation: operationId('history', layer), spending: 'history', requests: 1 });
  }

  /** The answer that is held to this very question; it may be truncated. */
  held(layer: Layer, part: Part): HistoryPart | undefined {
    return this.#cache.get(layer, part);
  }

  /** What is held whole of a box and window: of the box itself, or of one around it. */
  cachedPieces(layer: Layer, box: Part): readonly CachedPiece[] {
    return cachedPieces(box.window, this.#cache.wholeOver(layer, box));
  }

  /** `undefined` where none is held any more. */
  async cachedPiece(layer: Layer, { part, window }: CachedPiece, bbox: Bbox): Promise<HistoryPart | undefined> {
    const held = this.#cache.get(layer, part);
    return held && (await narrowPart(held, { bbox, window }));
  }

  /** @throws Error where `signal` is aborted */
  async read(layer: Layer, part: Part, signal: AbortSignal): Promise<PartOutcome> {
    signal.throwIfAborted();
    const held = this.#cache.get(layer, part);
    if (held) return { kind: 'part', part: held, requests: 0 };
    const around = this.#around(layer, part);
    const narrowed = around && (await this.cachedPiece(layer, { part: around, window: part.window }, part.bbox));
    if (narrowed) return { kind: 'part', part: narrowed, requests: 0 };
    const key = partKey(layer, part);
    const joined = this.#underWay.get(key);
    const underWay = joined ?? this.#begin(key, layer, part);
    const outcome = await this.#waitFor(key, underWay, signal);
    return joined ? { ...outcome, requests: 0 } : outcome;
  }

  /** A part that has all of this one. */
  #around(layer: Layer, part: Part): WholePart | undefined {
    const { start, end } = part.window;
    return this.#cache.wholeOver(layer, part).find(({ window }) => window.start <= start && window.end >= end);
  }

  #waitFor(key: string, underWay: UnderWay, signal: AbortSignal): Promise<PartOutcome> {
    underWay.waiting++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        underWay.waiting--;
        if (underWay.waiting === 0) {
          // Whoever comes now begins anew, and does not join what is being given up.
          this.#underWay.delete(key);
          underWay.abort.abort();
        }
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      underWay.outcome.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  #begin(key: string, layer: Layer, part: Part): UnderWay {
    const abort = new AbortController();
    const underWay: UnderWay = { outcome: this.#ask(layer, part, abort.signal), abort, waiting: 0 };
    const end = () => {
      if (this.#underWay.get(key) === underWay) this.#underWay.delete(key);
    };
    // Also where everybody has left, and nobody else hears of its end.
    underWay.outcome.then(end, end);
    this.#underWay.set(key, underWay);
    return underWay;
  }

  async #ask(layer: Layer, part: Part, signal: AbortSignal): Promise<PartOutcome> {
    const budget = new Budget(this.#ledger, 'history', 1);
    try {
      const outcome = await this.#client.historyPage(layer, part, budget, signal);
      if (outcome.kind === 'blocked') return { ...outcome, requests: budget.attempts };
      if (outcome.kind === 'cursor-refused') throw new Error('a history request has no cursor');
      const read = await historyPart(layer, part, outcome.page);
      if (part.window.end <= addMs(this.#client.clock.now(), -SETTLED_AFTER_MS)) this.#cache.put(read);
      return { kind: 'part', part: read, requests: budget.attempts };
    } finally {
      await budget.close();
    }
  }
}

async function historyPart(layer: Layer, part: Part, page: Page): Promise<HistoryPart> {
  return {
    layer,
    bbox: part.bbox,
    window: part.window,
    records: page.positions.length,
    truncated: page.truncated,
    unreadable: page.unreadable,
    body: await packObservations(page.positions),
  };
}

/**
 * What a whole part has of one that lies in it. `unreadable` stays as it is: nobody knows where those records lay.
 */
async function narrowPart(part: HistoryPart, { bbox, window }: Part): Promise<HistoryPart> {
  if (partKey(part.layer, part) === partKey(part.layer, { bbox, window })) return part;
  const positions = (await unpackObservations(part.body))
    .flatMap(positionsOf)
    .filter(({ lon, lat, observedAt }) => windowContains(window, observedAt) && bboxContains(bbox, lon, lat));
  return { ...part, bbox, window, records: positions.length, body: await packObservations(positions) };
}
