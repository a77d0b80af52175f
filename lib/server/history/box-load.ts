import 'server-only';
import type { PastReason } from '#lib/api/layer-reason.ts';
import { observedMsAt } from '#lib/codec/records.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { type ImpairedStretch, impairedOver, type PlaceReception } from '#lib/model/reception.ts';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { type HistoryPart, type PastPart, partKey, unpackObservations } from './parts/history-part.ts';
import { distanceMs, type PartState } from './split/part.ts';
import { Splitter } from './split/splitter.ts';

export interface BoxToLoad {
  readonly layer: Layer;
  /** The box is within the contract's history limit, and does not cross 180°. */
  readonly bbox: Bbox;
  readonly window: Window;
}

export interface BoxLoadOptions {
  readonly expectedPerSecond: number | undefined;
  readonly maxRequests: number;
  /** Default: the start of the window. */
  readonly from?: UpstreamInstant | undefined;
  /** The parts to load. Where the list is empty, the splitter decides. */
  readonly parts: readonly PastPart[];
  /** Parts that are announced first and never requested. */
  readonly cached: readonly HistoryPart[];
}

export interface BoxGap extends PastPart {
  readonly reason: PastReason;
}

/** A box and window loaded before is read in the same parts. */
export class BoxLoad {
  readonly box: BoxToLoad;
  readonly cached: readonly HistoryPart[];
  readonly #splitter: Splitter;
  readonly #known: PastPart[];
  readonly #isKnown: boolean;
  readonly #inFlight = new Set<PastPart>();
  readonly #read: PartState[] = [];
  readonly #halves = new Set<PastPart>();
  #halvingHelped = false;
  #failedInARow = 0;
  readonly #failures = new Map<string, BoxGap>();
  /** The receptions of the announced parts. */
  readonly #receptions: PlaceReception[] = [];
  #impaired: readonly ImpairedStretch[] | undefined;
  #reportsReception = false;
  #stopped: PastReason | undefined;
  /** Records of the announced parts, cached ones included. */
  records: number;
  /** Requests so far, failed ones included. */
  requests = 0;

  #from: UpstreamInstant;

  private constructor(
    box: BoxToLoad,
    from: UpstreamInstant,
    known: readonly PastPart[],
    splitter: Splitter,
    cached: readonly HistoryPart[],
  ) {
    this.box = box;
    this.#from = from;
    this.cached = cached;
    this.#known = [...known];
    this.#isKnown = known.length > 0;
    this.#splitter = splitter;
    this.records = cached.reduce((sum, { records }) => sum + records, 0);
    for (const part of cached) this.#addReception(part);
  }

  static async begin(
    box: BoxToLoad,
    { expectedPerSecond, maxRequests, from = box.window.start, parts, cached }: BoxLoadOptions,
  ): Promise<BoxLoad> {
    const windows = cached.map(async (part) => ({ ...part, observedAts: await observationTimes(part) }));
    const splitter = new Splitter({
      bbox: box.bbox,
      window: box.window,
      maxRequests,
      from,
      cached: await Promise.all(windows),
      ...(expectedPerSecond === undefined ? {} : { expectedPerSecond }),
    });
    return new BoxLoad(box, from, parts, splitter, cached);
  }

  /** The next part to request; `undefined` where there is none, for now or for ever. */
  next(): PastPart | undefined {
    if (this.#stopped !== undefined) return undefined;
    if (!this.#isKnown) return this.#splitter.next(1)[0];
    const nearest = this.#known.toSorted((a, b) => this.#distanceMs(a) - this.#distanceMs(b))[0];
    if (nearest) {
      this.#known.splice(this.#known.indexOf(nearest), 1);
      this.#inFlight.add(nearest);
    }
    return nearest;
  }

  startFrom(from: UpstreamInstant): void {
    this.#from = from;
    this.#splitter.startFrom(from);
  }

  /** Milliseconds from the cursor to the nearest open part; `undefined` where none is left. */
  get openDistanceMs(): number | undefined {
    if (!this.#isKnown) return this.#splitter.openDistanceMs;
    return this.#known.length === 0 ? undefined : Math.min(...this.#known.map((part) => this.#distanceMs(part)));
  }

  #distanceMs({ window }: PastPart): number {
    return distanceMs(window, this.#from);
  }

  get hasOpenParts(): boolean {
    return this.#stopped === undefined && this.parts().some(({ status }) => status === 'waiting');
  }

  /** @returns whether to announce the part: false where it will be read again in smaller parts, or has failed */
  async answered(part: PastPart, read: HistoryPart, isFree: boolean): Promise<boolean> {
    if (this.#halves.has(part)) this.#halvingHelped = true;
    if (read.unreadable > 0 && read.records === 0) {
      this.failed(part, 'answer_unreadable');
      return false;
    }
    this.#failedInARow = 0;
    if (read.unreadable > 0)
      this.#failures.set(partKey(this.box.layer, part), { ...part, reason: 'answer_unreadable' });
    if (this.#isKnown) {
      this.#inFlight.delete(part);
      this.#read.push({ ...part, status: read.truncated ? 'incomplete' : 'complete', records: read.records });
    } else {
      const { records, truncated } = read;
      this.#splitter.answered(part, { records, truncated, cached: isFree, observedAts: await observationTimes(read) });
    }
    const isFinal = this.#isKnown || !read.truncated || this.#isIncomplete(part);
    if (isFinal) {
      this.records += read.records;
      this.#addReception(read);
    }
    return isFinal;
  }

  /** @returns none for a half, and where too few requests are left */
  halve(part: PastPart): readonly PastPart[] {
    if (this.#isKnown || this.#halves.has(part)) return [];
    const halves = this.#splitter.halve(part);
    for (const half of halves) this.#halves.add(half);
    return halves;
  }

  get halvingHelped(): boolean {
    return this.#halvingHelped;
  }

  get failedInARow(): number {
    return this.#failedInARow;
  }

  failed(part: PastPart, reason: PastReason): void {
    this.#failedInARow++;
    this.#failures.set(partKey(this.box.layer, part), { ...part, reason });
    if (!this.#isKnown) this.#splitter.failed(part);
    else {
      this.#inFlight.delete(part);
      this.#read.push({ ...part, status: 'failed', records: 0 });
    }
  }

  stop(reason: PastReason): void {
    this.#stopped ??= reason;
  }

  /** The parts do not overlap. */
  parts(): readonly PartState[] {
    const parts = this.#isKnown
      ? [
          ...this.#read,
          ...[...this.#inFlight].map((part) => ({ ...part, status: 'loading' as const, records: 0 })),
          ...this.#known.map((part) => ({ ...part, status: 'waiting' as const, records: 0 })),
        ]
      : this.#splitter.state().parts;
    const status = this.#stopped === 'not_requested' ? 'not-requested' : 'failed';
    return parts.map((part) => {
      if (this.#stopped !== undefined && isOpen(part)) return { ...part, status };
      return part.status === 'complete' && this.#failureOf(part) ? { ...part, status: 'incomplete' } : part;
    });
  }

  #failureOf(part: PastPart): BoxGap | undefined {
    return this.#failures.size === 0 ? undefined : this.#failures.get(partKey(this.box.layer, part));
  }

  requestsExpected(): number {
    if (this.#stopped !== undefined) return 0;
    return this.#isKnown ? this.#known.length : this.#splitter.state().requestsExpected;
  }

  gaps(): readonly BoxGap[] {
    return this.parts().flatMap((part) => {
      const { bbox, window, status } = part;
      if (status === 'complete') return [];
      const reason =
        this.#failureOf(part)?.reason ?? (status === 'incomplete' ? 'too_dense' : (this.#stopped ?? 'not_requested'));
      return [{ bbox, window, reason }];
    });
  }

  /** Stretches without reception, in order; `undefined` where the upstream reports none. */
  get impaired(): readonly ImpairedStretch[] | undefined {
    if (!this.#reportsReception) return undefined;
    this.#impaired ??= impairedOver(this.#receptions);
    return this.#impaired;
  }

  #addReception({ window, reception }: HistoryPart): void {
    this.#receptions.push({ window, stretches: reception ?? [] });
    this.#reportsReception ||= reception !== undefined;
    this.#impaired = undefined;
  }

  #isIncomplete(part: PastPart): boolean {
    const key = partKey(this.box.layer, part);
    return this.parts().some((state) => state.status === 'incomplete' && partKey(this.box.layer, state) === key);
  }
}

function isOpen({ status }: PartState): boolean {
  return status === 'waiting' || status === 'loading';
}

async function observationTimes({ body }: HistoryPart): Promise<readonly UpstreamInstant[]> {
  const records = await unpackObservations(body);
  return Array.from({ length: records.count }, (_, row) => upstreamInstant(observedMsAt(records, row)));
}
