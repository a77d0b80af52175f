import 'server-only';
import { LRUCache } from 'lru-cache';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { Spending } from '../ports/ledger.ts';
import type { Spent, SpentToday } from '../ports/spent-today.ts';

/** Operators with a count of their own; of more, those who spent longest ago are forgotten. */
const OPERATORS_MAX = 10_000;
const NOTHING: Spent = { past: 0, firstViews: 0 };

/** Counted by one process, in memory. */
export class EmbeddedSpent implements SpentToday {
  readonly isWhole = false;
  readonly #spent = new LRUCache<string, Spent>({ max: OPERATORS_MAX });
  #day = '';

  add(operator: string, spending: Spending, at: UpstreamInstant): void {
    this.#turn(at);
    const { past, firstViews } = this.of(operator);
    if (spending === 'history') this.#spent.set(operator, { past: past + 1, firstViews });
    if (spending === 'first-view') this.#spent.set(operator, { past, firstViews: firstViews + 1 });
  }

  async read(at: UpstreamInstant): Promise<(operator: string) => Spent> {
    this.#turn(at);
    return (operator) => this.of(operator);
  }

  /** Of the day of the latest call. */
  of(operator: string): Spent {
    return this.#spent.get(operator) ?? NOTHING;
  }

  /** Of the day of the latest call. */
  operators(): readonly string[] {
    return [...this.#spent.keys()];
  }

  #turn(at: UpstreamInstant): void {
    const day = dayOf(at);
    if (day !== this.#day) this.#spent.clear();
    this.#day = day;
  }
}

/** `YYYY-MM-DD`, UTC. */
export function dayOf(at: UpstreamInstant): string {
  return formatInstant(at).slice(0, 10);
}
