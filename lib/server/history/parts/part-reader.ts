import 'server-only';
import { positionsOf } from '#lib/codec/record-columns.ts';
import { operationId } from '#lib/contract/operation.ts';
import { bboxContains } from '#lib/geo/bbox.ts';
import { receptionWithin } from '#lib/model/past-reception.ts';
import type { Layer } from '#lib/model/position.ts';
import { windowContains } from '#lib/time/window.ts';
import { counts } from '../../allowance/counts.ts';
import type { PastTerms } from '../../allowance/ledger.ts';
import { ONLY_SERVER, type WriterLease } from '../../database/writer-lease.ts';
import type { Cooldown } from '../../upstream/cooldown.ts';
import type { MayRequest } from '../../upstream/may-request.ts';
import type { BoxToLoad } from '../box-load.ts';
import { type CachedPiece, cachedPieces } from '../cached-pieces.ts';
import { type HistoryPart, type Part, partKey, type WholePart, withReception } from './history-part.ts';
import { packObservations, unpackObservations } from './pack-observations.ts';
import type { PartCache } from './part-cache.ts';
import { JoinedReads, type PartOutcome } from './part-source.ts';
import type { PartsFromWriter } from './parts-from-writer.ts';
import { fromCache, UpstreamParts, type UpstreamPartsOptions } from './upstream-parts.ts';

export interface PartReaderOptions extends UpstreamPartsOptions {
  readonly lease?: WriterLease;
}

/** Reads from the cache, from the upstream at the writer, otherwise from the writer. */
export class PartReader {
  readonly #client: UpstreamPartsOptions['client'];
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

  isCached(layer: Layer, part: Part): boolean {
    return this.#cache.has(layer, part) || this.#around(layer, part) !== undefined;
  }

  mayRequest(layer: Layer): MayRequest<Cooldown> {
    if (this.#isReader) return this.#fromWriter?.blocked(layer) ?? 'yes';
    return this.#client.mayRequest({ operation: operationId('history', layer), spending: 'history', requests: 1 });
  }

  /** Only for exactly this request. */
  cached(layer: Layer, part: Part): Pick<HistoryPart, 'records' | 'truncated'> | undefined {
    return this.#cache.head(layer, part);
  }

  /** Of the same box or a larger one. */
  cachedPieces(layer: Layer, box: Part): readonly CachedPiece[] {
    return cachedPieces(box.window, this.#cache.wholeOver(layer, box));
  }

  /** Without overlap. */
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
  async warm(layer: Layer, parts: readonly Part[]): Promise<void> {
    await this.#cache.getAll(layer, parts);
  }

  /** @param operator pays a new request @throws the signal's reason, as soon as it is aborted */
  async read(layer: Layer, part: Part, operator: string, signal: AbortSignal): Promise<PartOutcome> {
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
  async readUpstream(layer: Layer, part: Part, operator: string, signal: AbortSignal): Promise<PartOutcome> {
    return await this.#upstreamReads.read(partKey(layer, part), layer, part, operator, signal);
  }

  get #isReader(): boolean {
    return this.#lease.fence === undefined;
  }

  #around(layer: Layer, part: Part): WholePart | undefined {
    const { start, end } = part.window;
    return this.#cache.wholeOver(layer, part).find(({ window }) => window.start <= start && window.end >= end);
  }
}

async function narrowPart(part: HistoryPart, { bbox, window }: Part): Promise<HistoryPart> {
  if (partKey(part.layer, part) === partKey(part.layer, { bbox, window })) return part;
  const positions = positionsOf(await unpackObservations(part.body)).filter(
    ({ lon, lat, observedAt }) => windowContains(window, observedAt) && bboxContains(bbox, lon, lat),
  );
  const { reception = [], ...rest } = part;
  const body = await packObservations(positions);
  return withReception({ ...rest, bbox, window, records: positions.length, body }, receptionWithin(window, reception));
}
