import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Insertable, Transaction } from 'kysely';
import { NEW_BUDGET, NoticeBudget } from '#lib/outputs/notice/notice-budget.ts';
import type { NoticeType } from '#lib/outputs/notice.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { chunks } from '../../zones/alarms/chunks.ts';
import { nextNumbers } from './delivery-numbers.ts';

export type Target = Pick<Tables['destination'], 'id' | 'announces' | 'group_s' | 'notices_an_hour'>;

export interface Announced {
  readonly alarmId: string;
  readonly zoneId: string;
  readonly type: NoticeType;
}

/** Writes the notices of one transaction. */
export class NoticeWriter {
  readonly #query: Transaction<Tables>;
  readonly #nowMs: number;
  readonly #budgets = new Map<string, NoticeBudget>();
  readonly #deliveries: Omit<Insertable<Tables['delivery']>, 'number'>[] = [];
  readonly #alarms: { readonly delivery_id: string; readonly alarm_id: string }[] = [];

  constructor(query: Transaction<Tables>, nowMs: number) {
    this.#query = query;
    this.#nowMs = nowMs;
  }

  async add(target: Target, { alarmId, zoneId, type }: Announced): Promise<void> {
    const budget = await this.#budgetOf(target);
    const id = randomUUID();
    const key = `${zoneId} ${type}`;
    const placement = budget.place(key, this.#nowMs, id);
    const into = placement.kind === 'notice' ? id : placement.id;
    this.#alarms.push({ delivery_id: into, alarm_id: alarmId });
    if (placement.kind === 'notice') this.#make(id, target, type, key, 'waiting', placement.dueMs);
    if (placement.kind !== 'summary') return;
    if (placement.isNew) this.#make(into, target, 'summary', '', 'waiting', placement.dueMs);
    const grouped = randomUUID();
    this.#make(grouped, target, type, '', 'grouped', this.#nowMs);
    this.#alarms.push({ delivery_id: grouped, alarm_id: alarmId });
  }

  async write(): Promise<void> {
    const query = this.#query;
    const first = await nextNumbers(query, this.#deliveries.length + this.#alarms.length);
    const deliveries = this.#deliveries.map((row, index) => ({ ...row, number: first + index }));
    const places = this.#alarms.map((row, index) => ({ ...row, place: first + index }));
    for await (const rows of chunks(deliveries)) await query.insertInto('delivery').values(rows).execute();
    for await (const rows of chunks(places))
      await query
        .insertInto('delivery_alarm')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    for (const [destination_id, { state }] of this.#budgets) {
      const row = { hour_ms: state.hourMs, used: state.used, summary_id: state.summary ?? '' };
      await query
        .insertInto('notice_budget')
        .values({ destination_id, ...row })
        .onConflict((conflict) => conflict.column('destination_id').doUpdateSet(row))
        .execute();
    }
  }

  #make(id: string, { id: destination_id }: Target, type: string, group_key: string, state: string, due_ms: number) {
    const times = { created_ms: this.#nowMs, due_ms, arrived_ms: null };
    this.#deliveries.push({ id, destination_id, type, group_key, state, ...times, tries: 0, problem: null });
  }

  async #budgetOf({ id, group_s, notices_an_hour }: Target): Promise<NoticeBudget> {
    const known = this.#budgets.get(id);
    if (known) return known;
    const stored = await this.#query
      .selectFrom('notice_budget')
      .selectAll()
      .where('destination_id', '=', id)
      .executeTakeFirst();
    const waiting = await this.#query
      .selectFrom('delivery')
      .select(['id', 'group_key', 'due_ms', 'type'])
      .where('destination_id', '=', id)
      .where('state', '=', 'waiting')
      .where('due_ms', '>', this.#nowMs)
      .execute();
    const groups = waiting.filter(({ group_key }) => group_key !== '');
    const state = stored && {
      hourMs: stored.hour_ms,
      used: stored.used,
      summary: waiting.find((row) => row.id === stored.summary_id)?.id,
    };
    const budget = new NoticeBudget(
      { groupMs: group_s * SECOND_MS, noticesAnHour: notices_an_hour },
      state ?? NEW_BUDGET,
      groups.map(({ id: notice, group_key, due_ms }) => [group_key, { id: notice, dueMs: due_ms }]),
    );
    this.#budgets.set(id, budget);
    return budget;
  }
}
