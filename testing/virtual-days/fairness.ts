import { intersectBbox } from '#lib/geo/bbox.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Counted } from './upstream-in-process.ts';
import type { Page } from './watching.ts';

/** Fairness is promised for minutes, not for single requests. */
const PERIOD_MS = 15 * MINUTE_MS;
/** With fewer, whole requests decide; with more, the shortest interval may. */
const REQUESTS = { min: 10, max: 200 };

/** In a period that several operators watched from start to end. */
export interface Share {
  readonly operator: string;
  readonly got: number;
  readonly equal: number;
  readonly isBesideGreedy: boolean;
}

export class Fairness {
  readonly shares: Share[] = [];
  readonly #isOpen: (startMs: number, endMs: number) => boolean;
  #startMs = 0;
  #got = new Map<string, number>();
  #watching: ReadonlySet<string> = new Set();
  #isSteady = false;

  /** @param isOpen requests could be sent all the time */
  constructor(isOpen: (startMs: number, endMs: number) => boolean) {
    this.#isOpen = isOpen;
  }

  /** In equal parts to the operators that look at its box. */
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
    if (isWhole && this.#watching.size > 1 && this.#isOpen(this.#startMs, this.#startMs + PERIOD_MS)) {
      const total = [...this.#got.values()].reduce((sum, each) => sum + each, 0);
      const equal = total / this.#watching.size;
      if (equal >= REQUESTS.min && equal <= REQUESTS.max) {
        const isBesideGreedy = [...this.#watching].some((name) => name.startsWith('greedy'));
        for (const operator of this.#watching)
          this.shares.push({ operator, got: this.#got.get(operator) ?? 0, equal, isBesideGreedy });
      }
    }
    this.#startMs = startMs;
    this.#got = new Map();
    this.#watching = watching;
    this.#isSteady = true;
  }
}
