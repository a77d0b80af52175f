import type { Alarm } from '#lib/api/watching/alarms.ts';
import { ValueStore } from '../value-store.ts';

/** Not sent yet. */
export interface AlarmAnswer {
  readonly doing: 'acknowledging' | 'closing';
  /** Minutes, or until the alarm ends. */
  readonly until: 'end' | '15' | '60' | '480';
  readonly as: NonNullable<Alarm['closed']>['as'];
  readonly comment: string;
}

const NEW: Omit<AlarmAnswer, 'doing'> = { until: 'end', as: 'handled', comment: '' };

/** Outlives the list, which is drawn again when the window changes between panel and sheet. */
export class AlarmAnswers {
  readonly #rows = new ValueStore<ReadonlyMap<string, AlarmAnswer>>(new Map());
  readonly subscribe = this.#rows.subscribe;

  of(row: string): AlarmAnswer | undefined {
    return this.#rows.get().get(row);
  }

  begin(row: string, doing: AlarmAnswer['doing']): void {
    this.#rows.set(new Map(this.#rows.get()).set(row, { ...NEW, doing }));
  }

  change(row: string, part: Partial<AlarmAnswer>): void {
    const before = this.of(row);
    if (before) this.#rows.set(new Map(this.#rows.get()).set(row, { ...before, ...part }));
  }

  end(row: string): void {
    const rows = new Map(this.#rows.get());
    rows.delete(row);
    this.#rows.set(rows);
  }
}
