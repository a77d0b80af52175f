import 'server-only';
import { positionsOf } from '#lib/codec/record-columns.ts';
import { operationId } from '#lib/contract/operation.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { addMs, type LocalInstant } from '#lib/time/instant.ts';
import { windowContains } from '#lib/time/window.ts';
import { counts } from '../counts/counts.ts';
import { causeId } from '../http/request-cause.ts';
import { type HistoryPart, type Part, partKey, type WholePart } from '../parts/history-part.ts';
import { packObservations, unpackObservations } from '../parts/pack-observations.ts';
import type { Ledger, PastTerms } from '../ports/ledger.ts';
import type { SharedParts, Turn } from '../ports/shared-parts.ts';
import { SharedStoreFailure } from '../ports/shared-store-failure.ts';
import { Budget } from '../upstream/budget.ts';
import type { Cooldown } from '../upstream/cooldown.ts';
import type { MayRequest } from '../upstream/may-request.ts';
import type { Page } from '../upstream/read-page.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { BoxToLoad } from './box-load.ts';
import { type CachedPiece, cachedPieces } from './cached-pieces.ts';
import type { PartCache } from './part-cache.ts';

/** The upstream reports with a little delay: a window is settled, and cached, this long after its end. */
export const SETTLED_AFTER_MS = 30_000;

/** `requests`: made to the upstream for this call; where several wait for one request, the first counts it. */
export type PartOutcome = { readonly requests: number } & (
  | { readonly kind: 'part'; readonly part: HistoryPart }
  | { readonly kind: 'blocked'; readonly cooldown: Cooldown }
);

interface PendingRead {
  readonly outcome: Promise<PartOutcome>;
  readonly abort: AbortController;
  waiting: number;
}

export interface PartReaderOptions {
  readonly client: UpstreamClient;
  readonly ledger: Ledger;
  /** Of this server. */
  readonly cache: PartCache;
  /** With other servers. */
  readonly shared: SharedParts;
  readonly now: () => LocalInstant;
}

/**
 * Reads parts of the past, each once for all loads: from the cache, by joining a request in flight, from another server, or from the upstream.
 * A request that no load waits for any more is aborted.
 */
export class PartReader {
  readonly #client: UpstreamClient;
  readonly #ledger: Ledger;
  readonly #cache: PartCache;
  readonly #shared: SharedParts;
  readonly #now: () => LocalInstant;
  readonly #termsOf: (operator: string) => PastTerms;
  readonly #pending = new Map<string, PendingRead>();

  /** @param termsOf on which an operator's requests are made now */
  constructor({ client, ledger, cache, shared, now }: PartReaderOptions, termsOf: (operator: string) => PastTerms) {
    this.#client = client;
    this.#ledger = ledger;
    this.#cache = cache;
    this.#shared = shared;
    this.#now = now;
    this.#termsOf = termsOf;
  }

  /** Caches what other servers have read of the boxes, as far as it covers one. */
  async fetchShared(boxes: readonly BoxToLoad[]): Promise<void> {
    for (const layer of LAYERS) {
      const ofLayer = boxes.filter((box) => box.layer === layer);
      const isCached = (part: Part) => this.#cache.has(layer, part);
      for await (const part of this.#shared.over(layer, ofLayer, isCached)) this.#cache.put(part);
    }
  }

  /** Whether reading it costs no request. */
  isCached(layer: Layer, part: Part): boolean {
    return this.#cache.has(layer, part) || this.#around(layer, part) !== undefined;
  }

  /** Whether a part of the layer can be requested now. */
  mayRequest(layer: Layer): MayRequest<Cooldown> {
    return this.#client.mayRequest({ operation: operationId('history', layer), spending: 'history', requests: 1 });
  }

  /** The cached answer to exactly this request; it may be truncated. */
  cached(layer: Layer, part: Part): HistoryPart | undefined {
    return this.#cache.get(layer, part);
  }

  /** The cached pieces of a box and window, from parts of the same box or of a larger one. */
  cachedPieces(layer: Layer, box: Part): readonly CachedPiece[] {
    return cachedPieces(box.window, this.#cache.wholeOver(layer, box));
  }

  /** `undefined` where it is no longer cached. */
  async cachedPiece(layer: Layer, { part, window }: CachedPiece, bbox: Bbox): Promise<HistoryPart | undefined> {
    const cached = this.#cache.get(layer, part);
    return cached && (await narrowPart(cached, { bbox, window }));
  }

  /**
   * @param operator from whose share a request is paid; one in flight was paid by whoever was first
   * @throws the signal's reason, as soon as it is aborted
   */
  async read(layer: Layer, part: Part, operator: string, signal: AbortSignal): Promise<PartOutcome> {
    signal.throwIfAborted();
    const cached = this.#cache.get(layer, part);
    if (cached) return fromCache(cached);
    const around = this.#around(layer, part);
    const narrowed = around && (await this.cachedPiece(layer, { part: around, window: part.window }, part.bbox));
    if (narrowed) return fromCache(narrowed);
    const key = partKey(layer, part);
    for (;;) {
      signal.throwIfAborted();
      const joined = this.#pending.get(key);
      if (joined) counts().parts.joined++;
      const pending = joined ?? this.#begin(key, layer, part, operator);
      const outcome = await this.#waitFor(key, pending, signal);
      if (!joined) return outcome;
      // The share that is used up may be that of the one who was first.
      const isOthers = outcome.kind === 'blocked' && outcome.cooldown.reason === 'share_used_up';
      if (!isOthers) return { ...outcome, requests: 0 };
      if (this.#pending.get(key) === joined) this.#pending.delete(key);
    }
  }

  /** A cached part that contains this one. */
  #around(layer: Layer, part: Part): WholePart | undefined {
    const { start, end } = part.window;
    return this.#cache.wholeOver(layer, part).find(({ window }) => window.start <= start && window.end >= end);
  }

  #waitFor(key: string, pending: PendingRead, signal: AbortSignal): Promise<PartOutcome> {
    pending.waiting++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        pending.waiting--;
        if (pending.waiting === 0) {
          // A later call starts a new request instead of joining one that is being aborted.
          this.#pending.delete(key);
          pending.abort.abort();
        }
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      pending.outcome.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  #begin(key: string, layer: Layer, part: Part, operator: string): PendingRead {
    const abort = new AbortController();
    const pending: PendingRead = { outcome: this.#request(layer, part, operator, abort.signal), abort, waiting: 0 };
    const end = () => {
      if (this.#pending.get(key) === pending) this.#pending.delete(key);
    };
    // Also when every caller has left, so that no caller notices its end.
    pending.outcome.then(end, end);
    this.#pending.set(key, pending);
    return pending;
  }

  async #request(layer: Layer, part: Part, operator: string, signal: AbortSignal): Promise<PartOutcome> {
    try {
      const taken = await this.#shared.take(layer, part, signal);
      if (taken.kind === 'turn') return await this.#ask(layer, part, operator, taken, signal);
      counts().parts.shared++;
      this.#cache.put(taken.part);
      return { kind: 'part', part: taken.part, requests: 0 };
    } catch (error) {
      if (!(error instanceof SharedStoreFailure)) throw error;
      return {
        kind: 'blocked',
        cooldown: this.#client.circuit.storageFailed('shared_store_failed', this.#now()),
        requests: 0,
      };
    }
  }

  async #ask(layer: Layer, part: Part, operator: string, turn: Turn, signal: AbortSignal): Promise<PartOutcome> {
    counts().parts.upstream++;
    const budget = new Budget(this.#ledger, 'history', 1, () => this.#termsOf(operator), {
      operator,
      requestId: causeId(),
    });
    let settled: HistoryPart | undefined;
    try {
      const outcome = await this.#client.historyPage(layer, part, budget, signal);
      if (outcome.kind === 'blocked') return { ...outcome, requests: budget.attempts };
      if (outcome.kind === 'cursor-refused') throw new Error('a history request has no cursor');
      const read = await historyPart(layer, part, outcome.page);
      if (part.window.end <= addMs(this.#client.clock.now(), -SETTLED_AFTER_MS)) settled = read;
      if (settled) this.#cache.put(settled);
      return { kind: 'part', part: read, requests: budget.attempts };
    } finally {
      try {
        await budget.close();
      } finally {
        // Other servers ask themselves for what could not be read: it is not kept beyond minutes.
        await turn.end(settled?.unreadable === 0 ? settled : undefined);
      }
    }
  }
}

function fromCache(part: HistoryPart): PartOutcome {
  counts().parts.cache++;
  return { kind: 'part', part, requests: 0 };
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

/** Cuts a complete part down to one inside it. */
async function narrowPart(part: HistoryPart, { bbox, window }: Part): Promise<HistoryPart> {
  if (partKey(part.layer, part) === partKey(part.layer, { bbox, window })) return part;
  const positions = (await unpackObservations(part.body))
    .flatMap(positionsOf)
    .filter(({ lon, lat, observedAt }) => windowContains(window, observedAt) && bboxContains(bbox, lon, lat));
  return { ...part, bbox, window, records: positions.length, body: await packObservations(positions) };
}
