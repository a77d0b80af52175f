import 'server-only';
import { randomUUID } from 'node:crypto';
import { Paced } from '#lib/async/coalesced.ts';
import { formatInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Database } from '../database/database.ts';
import { MACHINE } from '../machine.ts';
import type { Part } from '../supervision/supervisor.ts';
import type { Spending } from './ledger.ts';

const WRITE_EVERY_MS = SECOND_MS;
const WRITTEN_AT_ONCE = 1000;
const NOTHING: Spent = { past: 0, firstViews: 0 };

export interface Spent {
  readonly past: number;
  /** Requests for areas that no operator was viewing. */
  readonly firstViews: number;
}

/** The requests of today over all servers. Each run of a server writes only its own row, so a write can be repeated. */
export class SpentToday {
  readonly #stored: { readonly database: Database; readonly part: Part } | undefined;
  readonly #run = randomUUID();
  #day = '';
  readonly #own = new Map<string, Spent>();
  readonly #changed = new Set<string>();
  readonly #writing = new Paced(WRITE_EVERY_MS, () => this.#write(), MACHINE);

  /** @param stored `undefined`: counted in memory alone */
  constructor(stored?: { readonly database: Database; readonly part: Part }) {
    this.#stored = stored;
  }

  add(operator: string, spending: Spending, at: UpstreamInstant): void {
    if (spending === 'scheduled') return;
    this.#beginDay(dayOf(at));
    const { past, firstViews } = this.#own.get(operator) ?? NOTHING;
    this.#own.set(
      operator,
      spending === 'history' ? { past: past + 1, firstViews } : { past, firstViews: firstViews + 1 },
    );
    this.#changed.add(operator);
    this.#writing.soon();
  }

  /** @throws DatabaseFailure */
  async read(at: UpstreamInstant): Promise<(operator: string) => Spent> {
    const day = dayOf(at);
    const own = day === this.#day ? new Map(this.#own) : new Map<string, Spent>();
    const others = await this.#written(day);
    return (operator) => {
      const one = own.get(operator) ?? NOTHING;
      const other = others.get(operator) ?? NOTHING;
      return { past: one.past + other.past, firstViews: one.firstViews + other.firstViews };
    };
  }

  async close(): Promise<void> {
    await this.#writing.stop();
    await this.#write();
  }

  #beginDay(day: string): void {
    if (day === this.#day) return;
    this.#day = day;
    this.#own.clear();
    this.#changed.clear();
  }

  async #write(): Promise<void> {
    if (!this.#stored || this.#changed.size === 0) return;
    const { database, part } = this.#stored;
    const day = this.#day;
    const operators = [...this.#changed].slice(0, WRITTEN_AT_ONCE);
    const rows = operators.map((operator) => {
      const { past, firstViews } = this.#own.get(operator) ?? NOTHING;
      return { day, operator, run: this.#run, past, first_views: firstViews };
    });
    for (const operator of operators) this.#changed.delete(operator);
    const isWritten = await part.run(() =>
      database.change(async (query) => {
        await query.deleteFrom('spent').where('day', '<', day).execute();
        await query
          .insertInto('spent')
          .values(rows)
          .onConflict((conflict) =>
            conflict.columns(['day', 'operator', 'run']).doUpdateSet(({ ref }) => ({
              past: ref('excluded.past'),
              first_views: ref('excluded.first_views'),
            })),
          )
          .execute();
      }),
    );
    if (!isWritten && day === this.#day) for (const operator of operators) this.#changed.add(operator);
    if (this.#changed.size > 0) this.#writing.soon();
  }

  async #written(day: string): Promise<ReadonlyMap<string, Spent>> {
    if (!this.#stored) return new Map();
    const rows = await this.#stored.database.query
      .selectFrom('spent')
      .where('day', '=', day)
      .where('run', '!=', this.#run)
      .groupBy('operator')
      .select(({ fn }) => [
        'operator',
        fn.sum<number>('past').as('past'),
        fn.sum<number>('first_views').as('firstViews'),
      ])
      .execute();
    return new Map(rows.map(({ operator, past, firstViews }) => [operator, { past, firstViews }]));
  }
}

/** `YYYY-MM-DD`, UTC. */
function dayOf(at: UpstreamInstant): string {
  return formatInstant(at).slice(0, 10);
}
