import 'server-only';
import { positionsOf } from '#lib/codec/record-columns.ts';
import { operationId } from '#lib/contract/operation.ts';
import { bboxContains } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { receptionWithin } from '#lib/model/reception.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Window, windowContains } from '#lib/time/window.ts';
import { counts } from '../../allowance/counts.ts';
import type { Ledger, PastTerms } from '../../allowance/ledger.ts';
import { ONLY_SERVER, type WriterLease } from '../../database/writer-lease.ts';
import { Budget } from '../../upstream/budget.ts';
import type { Cooldown } from '../../upstream/cooldown.ts';
import type { MayRequest } from '../../upstream/may-request.ts';
import type { UpstreamPage } from '../../upstream/read-page.ts';
import type { UpstreamClient } from '../../upstream/upstream-client.ts';
import type { BoxToLoad } from '../box-load.ts';
import { causeId } from '../request-cause.ts';
import {
  type HistoryPart,
  type PartOutcome,
  type PartSource,
  type PastPart,
  packObservations,
  partKey,
  unpackObservations,
  type WholePart,
  withReception,
} from './history-part.ts';
import type { PartCache } from './part-cache.ts';
import type { PartsFromWriter } from './parts-from-writer.ts';

/** A part is final this long after its window's end: the upstream reports with a delay. */
const SETTLED_AFTER_MS = 30_000;
/** A receiver's silence is noticed after up to 2 min of it, and a slow one's later: its stretch then begins earlier. */
const RECEPTION_SETTLED_AFTER_MS = 10 * MINUTE_MS;

export interface PartReaderOptions {
  readonly client: UpstreamClient;
  readonly ledger: Ledger;
  readonly cache: PartCache;
  readonly lease?: WriterLease;
}

/** Reads one part: from the cache, from the upstream at the writer, otherwise from the writer. Equal reads share one request. */
export class PartReader {
  readonly #client: UpstreamClient;
  readonly #cache: PartCache;
  readonly #lease: WriterLease;
  readonly #fromWriter: PartsFromWriter | undefined;
  readonly #writerReads: JoinedReads | undefined;
  readonly #upstreamReads: JoinedReads;

  constructor(options: PartReaderOptions, termsOf: (operator: string) => PastTerms, fromWriter?: PartsFromWriter) {
    this.#client = options.client;
    this.#cache = options.cache;
    this.#lease = options.lease ?? ONLY_SERVER;
    const joined = () => {
      counts().parts.joined++;
    };
    this.#fromWriter = fromWriter;
    this.#writerReads = fromWriter && new JoinedReads(fromWriter, joined);
    this.#upstreamReads = new JoinedReads(new UpstreamParts(options, termsOf), joined);
  }

  async learn(boxes: readonly BoxToLoad[]): Promise<void> {
    await this.#cache.learn(boxes);
  }

  isCached(layer: Layer, part: PastPart): boolean {
    return this.#cache.has(layer, part) || this.#around(layer, part) !== undefined;
  }

  mayRequest(layer: Layer): MayRequest<Cooldown> {
    if (this.#isReader) return this.#fromWriter?.blocked(layer) ?? 'yes';
    return this.#client.mayRequest({ operation: operationId('history', layer), spending: 'history', requests: 1 });
  }

  /** The cached answer for exactly this part. */
  cached(layer: Layer, part: PastPart): Pick<HistoryPart, 'records' | 'truncated'> | undefined {
    return this.#cache.head(layer, part);
  }

  /** Pieces of the window that are cached for the same box or a larger one. */
  cachedPieces(layer: Layer, box: PastPart): readonly CachedPiece[] {
    return cachedPieces(box.window, this.#cache.wholeOver(layer, box));
  }

  /** The pieces do not overlap. */
  async readPieces({ layer, bbox, window }: BoxToLoad): Promise<readonly HistoryPart[]> {
    const pieces = this.cachedPieces(layer, { bbox, window });
    const cached = await this.#cache.getAll(
      layer,
      pieces.map(({ part }) => part),
    );
    const parts: HistoryPart[] = [];
    for (const { part, window } of pieces) {
      const whole = cached.get(partKey(layer, part));
      if (whole) parts.push(await narrowPart(whole, { bbox, window }));
    }
    return parts;
  }

  /** Takes stored parts into memory, with few statements. */
  async warm(layer: Layer, parts: readonly PastPart[]): Promise<void> {
    await this.#cache.getAll(layer, parts);
  }

  /** @param operator pays a new request @throws the signal's reason, as soon as it is aborted */
  async read(layer: Layer, part: PastPart, operator: string, signal: AbortSignal): Promise<PartOutcome> {
    signal.throwIfAborted();
    const cached = await this.#cache.get(layer, part);
    if (cached) return fromCache(cached);
    const around = this.#around(layer, part);
    const whole = around && (await this.#cache.get(layer, around));
    if (whole) return fromCache(await narrowPart(whole, part));
    const reads = (this.#isReader ? this.#writerReads : undefined) ?? this.#upstreamReads;
    return await reads.read(partKey(layer, part), layer, part, operator, signal);
  }

  /** @throws the signal's reason */
  async readUpstream(layer: Layer, part: PastPart, operator: string, signal: AbortSignal): Promise<PartOutcome> {
    return await this.#upstreamReads.read(partKey(layer, part), layer, part, operator, signal);
  }

  get #isReader(): boolean {
    return this.#lease.fence === undefined;
  }

  #around(layer: Layer, part: PastPart): WholePart | undefined {
    const { start, end } = part.window;
    return this.#cache.wholeOver(layer, part).find(({ window }) => window.start <= start && window.end >= end);
  }
}

async function narrowPart(part: HistoryPart, { bbox, window }: PastPart): Promise<HistoryPart> {
  if (partKey(part.layer, part) === partKey(part.layer, { bbox, window })) return part;
  const positions = positionsOf(await unpackObservations(part.body)).filter(
    ({ lon, lat, observedAt }) => windowContains(window, observedAt) && bboxContains(bbox, lon, lat),
  );
  const { reception = [], ...rest } = part;
  const body = await packObservations(positions);
  return withReception({ ...rest, bbox, window, records: positions.length, body }, receptionWithin(window, reception));
}

interface PendingRead {
  readonly outcome: Promise<PartOutcome>;
  readonly abort: AbortController;
  waiting: number;
}

/** Joins equal reads; aborts one when its last caller leaves. */
class JoinedReads {
  readonly #source: PartSource;
  readonly #joined: () => void;
  readonly #pending = new Map<string, PendingRead>();

  constructor(source: PartSource, joined: () => void) {
    this.#source = source;
    this.#joined = joined;
  }

  /**
   * @param operator pays for a new read, not for one in flight
   * @throws the signal's reason, as soon as it is aborted
   */
  async read(key: string, layer: Layer, part: PastPart, operator: string, signal: AbortSignal): Promise<PartOutcome> {
    for (;;) {
      signal.throwIfAborted();
      const joined = this.#pending.get(key);
      if (joined) this.#joined();
      const pending = joined ?? this.#begin(key, layer, part, operator);
      const outcome = await this.#waitFor(key, pending, signal);
      if (!joined) return outcome;
      // The used-up share may belong to the operator who began the read.
      const isOthers = outcome.kind === 'blocked' && outcome.cooldown.reason === 'share_used_up';
      if (!isOthers) return { ...outcome, requests: 0 };
      if (this.#pending.get(key) === joined) this.#pending.delete(key);
    }
  }

  #waitFor(key: string, pending: PendingRead, signal: AbortSignal): Promise<PartOutcome> {
    pending.waiting++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        pending.waiting--;
        if (pending.waiting === 0) {
          // A later call starts a new read instead of joining the aborted one.
          this.#pending.delete(key);
          pending.abort.abort();
        }
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      pending.outcome.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  #begin(key: string, layer: Layer, part: PastPart, operator: string): PendingRead {
    const abort = new AbortController();
    const pending: PendingRead = {
      outcome: this.#source.read(layer, part, operator, abort.signal),
      abort,
      waiting: 0,
    };
    const end = () => {
      if (this.#pending.get(key) === pending) this.#pending.delete(key);
    };
    // The read also ends here when every caller has left.
    pending.outcome.then(end, end);
    this.#pending.set(key, pending);
    return pending;
  }
}

/** Reads parts from the upstream, and caches those that cannot change any more. */
class UpstreamParts implements PartSource {
  readonly #options: PartReaderOptions;
  readonly #termsOf: (operator: string) => PastTerms;

  constructor(options: PartReaderOptions, termsOf: (operator: string) => PastTerms) {
    this.#options = options;
    this.#termsOf = termsOf;
  }

  async read(layer: Layer, part: PastPart, operator: string, signal: AbortSignal): Promise<PartOutcome> {
    const { client, ledger, cache } = this.#options;
    const found = await cache.find(layer, part);
    if (found) return fromCache(found);
    signal.throwIfAborted();
    counts().parts.upstream++;
    const cause = { operator, requestId: causeId() };
    const budget = new Budget(ledger, 'history', 1, () => this.#termsOf(operator), cause);
    try {
      const outcome = await client.historyPage(layer, part, budget, signal);
      if (outcome.kind === 'blocked') return { ...outcome, requests: budget.attempts };
      if (outcome.kind === 'cursor-refused') throw new Error('a history request has no cursor');
      const read = await historyPart(layer, part, outcome.page);
      const settledAfterMs = read.reception ? RECEPTION_SETTLED_AFTER_MS : SETTLED_AFTER_MS;
      if (part.window.end <= addMs(client.clock.now(), -settledAfterMs)) await cache.put(read);
      return { kind: 'part', part: read, requests: budget.attempts };
    } finally {
      await budget.close();
    }
  }
}

function fromCache(part: HistoryPart): PartOutcome {
  counts().parts.cache++;
  return { kind: 'part', part, requests: 0 };
}

async function historyPart(layer: Layer, part: PastPart, page: UpstreamPage): Promise<HistoryPart> {
  const { bbox, window } = part;
  const body = await packObservations(page.positions);
  return withReception(
    {
      layer,
      bbox,
      window,
      records: page.positions.length,
      truncated: page.truncated,
      unreadable: page.unreadable,
      body,
    },
    receptionWithin(window, page.receptionStretches ?? []),
  );
}

export interface CachedPiece {
  readonly part: WholePart;
  readonly window: Window;
}

/** Cuts a window into pieces that cached parts have, as few as possible, so that few parts are cut. @param parts each over the whole area, in any order */
export function cachedPieces(window: Window, parts: readonly WholePart[]): readonly CachedPiece[] {
  const pieces: CachedPiece[] = [];
  for (let at = window.start; at < window.end; ) {
    const longest = latestEnd(parts.filter((part) => windowContains(part.window, at)));
    if (longest) {
      const end = longest.window.end < window.end ? longest.window.end : window.end;
      pieces.push({ part: longest, window: { start: at, end } });
      at = end;
    } else at = earliestAfter(at, parts, window.end);
  }
  return pieces;
}

function latestEnd(parts: readonly WholePart[]): WholePart | undefined {
  return parts.reduce<WholePart | undefined>(
    (latest, part) => (latest === undefined || part.window.end > latest.window.end ? part : latest),
    undefined,
  );
}

function earliestAfter(at: UpstreamInstant, parts: readonly WholePart[], end: UpstreamInstant): UpstreamInstant {
  return parts.reduce((earliest, { window: { start } }) => (start > at && start < earliest ? start : earliest), end);
}
