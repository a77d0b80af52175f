import 'server-only';
import { HOUR_MS } from '#lib/time/time-units.ts';

export interface NoticeLimits {
  /** Alarms of one zone within this time are one notice; 0: each is sent at once. */
  readonly groupMs: number;
  /** The most notices in an hour; null is no limit. */
  readonly noticesAnHour: number | null;
}

interface BudgetState {
  /** Start of the hour, UTC. */
  readonly hourMs: number;
  /** Notices made in this hour, with the summary of the hour before. */
  readonly used: number;
  /** Id of this hour's summary. */
  readonly summary: string | undefined;
}

export const NEW_BUDGET: BudgetState = { hourMs: 0, used: 0, summary: undefined };

interface OpenGroup {
  readonly id: string;
  readonly dueMs: number;
}

type Placement =
  | { readonly kind: 'notice'; readonly dueMs: number }
  /** The change joins a notice that waits. */
  | { readonly kind: 'group'; readonly id: string }
  /** The change joins the summary of the hour. `isNew`: the summary has the id that was offered. */
  | { readonly kind: 'summary'; readonly id: string; readonly isNew: boolean; readonly dueMs: number };

/** Decides for each change in which notice of a destination it is sent. */
export class NoticeBudget {
  readonly #limits: NoticeLimits;
  readonly #groups: Map<string, OpenGroup>;
  #state: BudgetState;

  /** @param groups notices that wait, by key */
  constructor(limits: NoticeLimits, state: BudgetState, groups: Iterable<readonly [string, OpenGroup]>) {
    this.#limits = limits;
    this.#state = state;
    this.#groups = new Map(groups);
  }

  get state(): BudgetState {
    return this.#state;
  }

  /**
   * @param key equal for changes that may share a notice
   * @param id the id of the notice, if the change takes a new one
   */
  place(key: string, nowMs: number, id: string): Placement {
    this.#beginHour(nowMs);
    const { noticesAnHour, groupMs } = this.#limits;
    // Without groups, a notice of a server whose clock is ahead still waits.
    const group = groupMs > 0 ? this.#groups.get(key) : undefined;
    if (group && group.dueMs > nowMs) return { kind: 'group', id: group.id };
    const { hourMs, used, summary } = this.#state;
    if (noticesAnHour === null || used < noticesAnHour) {
      this.#state = { ...this.#state, used: used + 1 };
      const dueMs = nowMs + groupMs;
      if (groupMs > 0) this.#groups.set(key, { id, dueMs });
      return { kind: 'notice', dueMs };
    }
    this.#state = { ...this.#state, summary: summary ?? id };
    return { kind: 'summary', id: summary ?? id, isNew: summary === undefined, dueMs: hourMs + HOUR_MS };
  }

  /** A clock that was set back stays in its hour. */
  #beginHour(nowMs: number): void {
    const { hourMs, summary } = this.#state;
    const nextMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
    if (nextMs <= hourMs) return;
    const isSent = summary !== undefined && nextMs === hourMs + HOUR_MS;
    this.#state = { hourMs: nextMs, used: isSent ? 1 : 0, summary: undefined };
  }
}
