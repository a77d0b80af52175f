import { intersectBbox } from '#lib/geo/subtract-bbox.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Counted } from './upstream-in-process.ts';
import type { Page } from './watching.ts';

/** Fairness is a promise about minutes, not about single requests. */
const PERIOD_MS = 15 * MINUTE_MS;
/** With fewer requests for each operator, whole requests decide. */
const REQUESTS_MIN = 10;

/** What each operator got of the live requests in periods of a quarter of an hour, over an equal share. */
export class Fairness {
  /** Of operators that watched all of a period beside others: requests over an equal share of all. */
  readonly shares: {
    readonly operator: string;
    readonly share: number;
    readonly equal: number;
    readonly atMs: number;
  }[] = [];
  readonly #isFair: (startMs: number, endMs: number) => boolean;
  #startMs = 0;
  #got = new Map<string, number>();
  #watching: ReadonlySet<string> = new Set();
  #isSteady = false;

  /** @param isFair whether nothing but the engine decides in a period */
  constructor(isFair: (startMs: number, endMs: number) => boolean) {
    this.#isFair = isFair;
  }

  /** A request is charged in equal parts to the operators that look at its box. */
  counted({ atMs, mode, layer, bbox }: Counted, pages: Iterable<Page>): void {
    const watching = new Set<string>();
    const looking = new Set<string>();
    for (const page of pages) {
      watching.add(page.operator);
      if (page.layers.includes(layer) && intersectBbox(page.box, bbox)) looking.add(page.operator);
    }
    const startMs = Math.floor(atMs / PERIOD_MS) * PERIOD_MS;
    if (startMs !== this.#startMs) this.#begin(startMs, watching);
    else if (this.#watching.symmetricDifference(watching).size > 0) this.#isSteady = false;
    if (mode === 'history') return;
    for (const operator of looking) this.#got.set(operator, (this.#got.get(operator) ?? 0) + 1 / looking.size);
  }

  #begin(startMs: number, watching: ReadonlySet<string>): void {
    const isWhole = this.#isSteady && this.#watching.symmetricDifference(watching).size === 0;
    if (isWhole && this.#watching.size > 1 && this.#isFair(this.#startMs, this.#startMs + PERIOD_MS)) {
      const total = [...this.#got.values()].reduce((sum, each) => sum + each, 0);
      const equal = total / this.#watching.size;
      if (equal >= REQUESTS_MIN)
        for (const operator of this.#watching) {
          const share = (this.#got.get(operator) ?? 0) / equal;
          this.shares.push({ operator, share, equal, atMs: this.#startMs });
        }
    }
    this.#startMs = startMs;
    this.#got = new Map();
    this.#watching = watching;
    this.#isSteady = true;
  }
}
