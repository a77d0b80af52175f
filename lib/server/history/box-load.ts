import 'server-only';
import type { PastReason } from '#lib/api/layer-reason.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { type HistoryPart, partKey } from './history-part.ts';
import { unpackObservations } from './pack-observations.ts';
import type { Part, PartState } from './split/part.ts';
import { Splitter } from './split/splitter.ts';

export interface BoxToLoad {
  readonly layer: Layer;
  /** Within the contract's history limits, and not across 180°. */
  readonly bbox: Bbox;
  readonly window: Window;
}

export interface BoxLoadOptions {
  readonly expectedPerSecond: number | undefined;
  readonly maxRequests: number;
  /** In which it was loaded before; none: they are found out. */
  readonly parts: readonly Part[];
  /** Whole parts of its box and of windows in its window, not overlapping: they are given on first, and never asked. */
  readonly held: readonly HistoryPart[];
}

export interface BoxGap extends Part {
  readonly reason: PastReason;
}

/**
 * One layer of one box on its way: which parts are to be read next, which were, and what is missing. Where the same was
 * loaded before, it is read in the same parts.
 */
export class BoxLoad {
  readonly box: BoxToLoad;
  /** Given on before anything is read. */
  readonly held: readonly HistoryPart[];
  readonly #splitter: Splitter;
  readonly #known: Part[];
  readonly #isKnown: boolean;
  /** Of the known ones. */
  readonly #underWay = new Set<Part>();
  readonly #read: PartState[] = [];
  readonly #halves = new Set<Part>();
  #halvingHelped = false;
  #failedInARow = 0;
  readonly #failures = new Map<string, BoxGap>();
  #stopped: PastReason | undefined;
  /** That were given on, and those that are held. */
  records: number;
  /** Made to the upstream, those that failed too. */
  requests = 0;

  private constructor(box: BoxToLoad, known: readonly Part[], splitter: Splitter, held: readonly HistoryPart[]) {
    this.box = box;
    this.held = held;
    this.#known = [...known];
    this.#isKnown = known.length > 0;
    this.#splitter = splitter;
    this.records = held.reduce((sum, { records }) => sum + records, 0);
  }

  static async begin(
    box: BoxToLoad,
    { expectedPerSecond, maxRequests, parts, held }: BoxLoadOptions,
  ): Promise<BoxLoad> {
    const windows = held.map(async (part) => ({ ...part, observedAts: await observationTimes(part) }));
    const splitter = new Splitter({
      bbox: box.bbox,
      window: box.window,
      maxRequests,
      held: await Promise.all(windows),
      ...(expectedPerSecond === undefined ? {} : { expectedPerSecond }),
    });
    return new BoxLoad(box, parts, splitter, held);
  }

  /** A part to read now; `undefined` where there is none, for now or for good. */
  next(): Part | undefined {
    if (this.#stopped !== undefined) return undefined;
    if (!this.#isKnown) return this.#splitter.next(1)[0];
    const part = this.#known.shift();
    if (part) this.#underWay.add(part);
    return part;
  }

  /** Whether anything of it is still to be read that is not under way. */
  get isToBeAsked(): boolean {
    return this.#stopped === undefined && this.parts().some(({ status }) => status === 'waiting' || status === 'split');
  }

  /** @returns whether the part is given on: false where it will be asked again in smaller ones */
  async answered(part: Part, read: HistoryPart, isFree: boolean): Promise<boolean> {
    if (this.#halves.has(part)) this.#halvingHelped = true;
    this.#failedInARow = 0;
    if (this.#isKnown) {
      this.#underWay.delete(part);
      this.#read.push({ ...part, status: read.truncated ? 'incomplete' : 'complete', records: read.records });
    } else {
      const { records, truncated } = read;
      this.#splitter.answered(part, { records, truncated, cached: isFree, observedAts: await observationTimes(read) });
    }
    const isFinal = this.#isKnown || !read.truncated || this.#isIncomplete(part);
    if (isFinal) this.records += read.records;
    return isFinal;
  }

  /**
   * A part could not be had as it is.
   * @returns two of half its window to read in its place, once: none for such a half, nor where no request is left
   */
  halve(part: Part): readonly Part[] {
    if (this.#isKnown || this.#halves.has(part)) return [];
    const halves = this.#splitter.halve(part);
    for (const half of halves) this.#halves.add(half);
    return halves;
  }

  /** Whether a half came where the whole did not. */
  get halvingHelped(): boolean {
    return this.#halvingHelped;
  }

  /** Parts that failed since one came. */
  get failedInARow(): number {
    return this.#failedInARow;
  }

  failed(part: Part, reason: PastReason): void {
    this.#failedInARow++;
    this.#failures.set(partKey(this.box.layer, part), { ...part, reason });
    if (!this.#isKnown) this.#splitter.failed(part);
    else {
      this.#underWay.delete(part);
      this.#read.push({ ...part, status: 'failed', records: 0 });
    }
  }

  /** Nothing more of it is asked for. */
  stop(reason: PastReason): void {
    this.#stopped ??= reason;
  }

  /** All of the box and window, each place once. */
  parts(): readonly PartState[] {
    const parts = this.#isKnown
      ? [
          ...this.#read,
          ...[...this.#underWay].map((part) => ({ ...part, status: 'loading' as const, records: 0 })),
          ...this.#known.map((part) => ({ ...part, status: 'waiting' as const, records: 0 })),
        ]
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

async function observationTimes({ body }: HistoryPart): Promise<readonly UpstreamInstant[]> {
  return (await unpackObservations(body)).flatMap(({ observedAtMs }) => Array.from(observedAtMs, upstreamInstant));
}
