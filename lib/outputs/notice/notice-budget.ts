import { HOUR_MS } from '#lib/time/time-units.ts';

/** Of a destination. */
export interface NoticeLimits {
  readonly groupMs: number;
  /** null: no limit. */
  readonly noticesAnHour: number | null;
}

export interface BudgetState {
  /** Start of the hour, UTC. */
  readonly hourMs: number;
  /** Notices made in it, with the summary of the hour before. */
  readonly used: number;
  /** Id of this hour's summary. */
  readonly summary: string | undefined;
}

export const NEW_BUDGET: BudgetState = { hourMs: 0, used: 0, summary: undefined };

interface OpenGroup {
  readonly id: string;
  readonly dueMs: number;
}

export type Placement =
  | { readonly kind: 'notice'; readonly dueMs: number }
  /** In a notice that waits. */
  | { readonly kind: 'group'; readonly id: string }
  /** In the summary of the hour. `isNew`: it has the id that was offered. */
  | { readonly kind: 'summary'; readonly id: string; readonly isNew: boolean; readonly dueMs: number };

/** Decides for each transition in which notice of a destination it is sent. */
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
   * @param key equal for what may be one notice
   * @param id of a notice, if it takes a new one
   */
  place(key: string, nowMs: number, id: string): Placement {
    this.#beginHour(nowMs);
    const { noticesAnHour, groupMs } = this.#limits;
    // Without groups a notice of a server whose clock is ahead still waits.
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
