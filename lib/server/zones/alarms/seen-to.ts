import 'server-only';
import type { Seen } from '#lib/api/watching/alarms.ts';
import { epochMs, formatInstant, instantOf, upstreamInstant } from '#lib/time/instant.ts';
import type { Database } from '../../database/database.ts';
import { orRefuse } from '../../database/database-failure.ts';
import { keyOf, type Owner } from '../../views/owner.ts';

/** Methods throw `ApiError` where the database fails. */
export class SeenTo {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async of(owner: Owner): Promise<Seen> {
    const row = await orRefuse(
      this.#database.query
        .selectFrom('seen_to')
        .select('until_ms')
        .where('owner', '=', keyOf(owner))
        .executeTakeFirst(),
    );
    return { until: row ? formatInstant(upstreamInstant(row.until_ms)) : null };
  }

  async set(owner: Owner, { until }: Seen): Promise<void> {
    await orRefuse(
      this.#database.change(async (query) => {
        await query.deleteFrom('seen_to').where('owner', '=', keyOf(owner)).execute();
        if (until === null) return;
        const row = { owner: keyOf(owner), until_ms: epochMs(instantOf(until)) };
        await query.insertInto('seen_to').values(row).execute();
      }),
    );
  }
}
