import 'server-only';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { decodeObservations } from '#lib/api/compact-history/decode-observations.ts';
import type { LayerReason } from '#lib/api/layer-reason.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { type Instant, instantFromMs } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { type HistoryPart, partKey } from './history-part.ts';
import type { Part, PartState } from './split/part.ts';
import { Splitter } from './split/splitter.ts';

const inflate = promisify(inflateRaw);

export interface BoxToLoad {
  readonly layer: Layer;
  /** Within the contract's history limits, and not across 180°. */
  readonly bbox: Bbox;
  readonly window: Window;
}

export interface BoxGap extends Part {
  readonly reason: LayerReason;
}

/**
 * One layer of one box on its way: which parts are to be read next, which were, and what is missing. Where the same was
 * loaded before, it is read in the same parts.
 */
export class BoxLoad {
  readonly box: BoxToLoad;
  readonly #splitter: Splitter;
  readonly #known: Part[];
  readonly #read: PartState[] = [];
  readonly #failures = new Map<string, BoxGap>();
  #stopped: LayerReason | undefined;
  records = 0;
  requests = 0;

  /** @param parts in which it was loaded before; none: they are found out */
  constructor(box: BoxToLoad, expectedPerSecond: number | undefined, requestsMost: number, parts: readonly Part[]) {
    this.box = box;
    this.#known = [...parts];
    this.#isKnown = parts.length > 0;
    this.#splitter = new Splitter({
      bbox: box.bbox,
      window: box.window,
      requestsMost,
      ...(expectedPerSecond === undefined ? {} : { expectedPerSecond }),
    });
  }

  readonly #isKnown: boolean;

  /** A part to read now; `undefined` where there is none, for now or for good. */
  next(): Part | undefined {
    if (this.#stopped !== undefined) return undefined;
    return this.#isKnown ? this.#known.shift() : this.#splitter.next(1)[0];
  }

  /** @returns whether the part is given on: false where it will be asked again in smaller ones */
  async answered(part: Part, read: HistoryPart, isFree: boolean): Promise<boolean> {
    if (!isFree) this.requests++;
    if (this.#isKnown) {
      this.#read.push({ ...part, status: read.truncated ? 'incomplete' : 'complete', records: read.records });
    } else {
      const { records, truncated } = read;
      const observedAts = truncated ? await observationTimes(read) : [];
      this.#splitter.answered(part, { records, truncated, cached: isFree, ...(truncated && { observedAts }) });
    }
    const isFinal = this.#isKnown || !read.truncated || this.#isIncomplete(part);
    if (isFinal) this.records += read.records;
    return isFinal;
  }

  failed(part: Part, reason: LayerReason): void {
    this.#failures.set(partKey(this.box.layer, part), { ...part, reason });
    if (!this.#isKnown) this.#splitter.failed(part);
    else this.#read.push({ ...part, status: 'failed', records: 0 });
  }

  /** Nothing more of it is asked for. */
  stop(reason: LayerReason): void {
    this.#stopped ??= reason;
  }

  /** All of the box and window, each place once. */
  parts(): readonly PartState[] {
    const parts = this.#isKnown
      ? [...this.#read, ...this.#known.map((part) => ({ ...part, status: 'waiting' as const, records: 0 }))]
      : this.#splitter.state().parts;
    if (this.#stopped === undefined) return parts;
    const status = this.#stopped === 'not_asked' ? 'not-asked' : 'failed';
    return parts.map((part) => (isOpen(part) ? { ...part, status } : part));
  }

  requestsExpected(): number {
    if (this.#stopped !== undefined) return 0;
    return this.#isKnown ? this.#known.length : this.#splitter.state().requestsExpected;
  }

  gaps(): readonly BoxGap[] {
    return this.parts().flatMap((part) => {
      const { bbox, window, status } = part;
      if (status === 'complete') return [];
      const failure = this.#failures.get(partKey(this.box.layer, part));
      const reason = failure?.reason ?? (status === 'incomplete' ? 'too_dense' : (this.#stopped ?? 'not_asked'));
      return [{ bbox, window, reason }];
    });
  }

  #isIncomplete(part: Part): boolean {
    const key = partKey(this.box.layer, part);
    return this.parts().some((state) => state.status === 'incomplete' && partKey(this.box.layer, state) === key);
  }
}

function isOpen({ status }: PartState): boolean {
  return status === 'waiting' || status === 'loading' || status === 'split';
}

async function observationTimes({ body }: HistoryPart): Promise<readonly Instant[]> {
  return decodeObservations(await inflate(body)).flatMap(({ observedAtMs }) => Array.from(observedAtMs, instantFromMs));
}
