import 'server-only';
import { LRUCache } from 'lru-cache';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Spending } from '../ports/ledger.ts';

export interface Spent {
  /** Requests for the past. */
  readonly past: number;
  /** Requests for places that nobody had looked at. */
  readonly firstViews: number;
}

/** Operators with a count of their own; of more, those who spent longest ago are forgotten. */
const OPERATORS_MAX = 1000;
const NOTHING: Spent = { past: 0, firstViews: 0 };

/** What each operator alone has caused to be spent of the day's allowance, since midnight UTC or the start of this process. */
export class SpentToday {
  readonly #spent = new LRUCache<string, Spent>({ max: OPERATORS_MAX });
  #day = '';

  /** One request more. */
  add(operator: string, spending: Spending, at: UpstreamInstant): void {
    this.#turn(at);
    const { past, firstViews } = this.#spent.get(operator) ?? NOTHING;
    if (spending === 'history') this.#spent.set(operator, { past: past + 1, firstViews });
    if (spending === 'first-view') this.#spent.set(operator, { past, firstViews: firstViews + 1 });
  }

  of(operator: string, at: UpstreamInstant): Spent {
    this.#turn(at);
    return this.#spent.get(operator) ?? NOTHING;
  }

  #turn(at: UpstreamInstant): void {
    const day = formatInstant(at).slice(0, 10);
    if (day !== this.#day) this.#spent.clear();
    this.#day = day;
  }
}
