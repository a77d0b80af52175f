import 'server-only';
import type { Transaction } from 'kysely';
import type { Layer } from '#lib/model/position.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { RECEPTION_REASONS } from '#lib/zones/stretches/watched-reception.ts';
import type { Database } from '../../database/database.ts';
import { requireLease } from '../../database/tables/require-lease.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { OpenStretch } from '../alarms/alarm-store.ts';

export type OpenGap = OpenStretch;

/** Per run. */
const GAPS_MAX = 100;

/** Rejects with `DatabaseFailure` or `LeaseLost`. */
export class GapStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Unwatched stretches first, then oldest first. */
  async open(zoneIds: readonly string[], from: UpstreamInstant, to: UpstreamInstant): Promise<readonly OpenGap[]> {
    const rows = await this.#database.query
      .selectFrom('zone_stretch')
      .selectAll()
      .where('zone_id', 'in', zoneIds)
      .where('state', 'in', ['not_watched', 'partly'])
      .where('made_up', '=', 0)
      .where('reason', 'not in', RECEPTION_REASONS)
      .where('from_ms', '>=', Math.ceil(epochMs(from)))
      .where('to_ms', '<=', Math.floor(epochMs(to)))
      .orderBy('state')
      .orderBy('from_ms')
      .limit(GAPS_MAX)
      .execute();
    return rows.map(({ zone_id, layer, from_ms, to_ms, state, reason }) => ({
      zoneId: zone_id,
      layer: layer as Layer,
      fromMs: from_ms,
      toMs: to_ms,
      state: state as OpenGap['state'],
      reason: reason as OpenGap['reason'],
    }));
  }

  async spent(zoneId: string, day: string): Promise<number> {
    const row = await this.#database.query
      .selectFrom('zone_spent')
      .select('requests')
      .where('zone_id', '=', zoneId)
      .where('day', '=', day)
      .executeTakeFirst();
    return row?.requests ?? 0;
  }

  /** @param requests negative for requests counted but not made */
  async spend(zoneId: string, day: string, requests: number, fence: number): Promise<void> {
    await this.#change(fence, async (query) => {
      await query
        .insertInto('zone_spent')
        .values({ zone_id: zoneId, day, requests })
        .onConflict((conflict) =>
          conflict.columns(['zone_id', 'day']).doUpdateSet((each) => ({
            requests: each('zone_spent.requests', '+', requests),
          })),
        )
        .execute();
    });
  }

  async #change(fence: number, run: (query: Transaction<Tables>) => Promise<void>): Promise<void> {
    await this.#database.change(async (query) => {
      await requireLease(query, this.#database.dialect, fence);
      await run(query);
    });
  }
}
