import 'server-only';
import { epochMs, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { type WatchedStretch, watchedStretchSchema } from '#lib/zones/alarm.ts';
import type { Database } from '../database/database.ts';
import { orRefuse } from '../database/database-failure.ts';
import { type LayerStretch, mergedStretches } from './merged-stretches.ts';

/** When zones were watched. Every method throws `ApiError` where it cannot be read. */
export class WatchedLedger {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The stretches of a zone, all layers together, cut to the window. Times without a stretch are before or after the zone. */
  async between(zoneId: string, start: UpstreamInstant, end: UpstreamInstant): Promise<readonly WatchedStretch[]> {
    const [startMs, endMs] = [epochMs(start), epochMs(end)];
    const rows = await orRefuse(
      this.#database.query
        .selectFrom('zone_stretch')
        .selectAll()
        .where('zone_id', '=', zoneId)
        .where('to_ms', '>', Math.floor(startMs))
        .where('from_ms', '<', Math.ceil(endMs))
        .execute(),
    );
    const stretches = rows.map(
      ({ layer, from_ms, to_ms, ...row }): LayerStretch => ({
        layer,
        fromMs: Math.max(from_ms, startMs),
        toMs: Math.min(to_ms, endMs),
        state: watchedStretchSchema.shape.state.parse(row.state),
        reason: watchedStretchSchema.shape.reason.parse(row.reason),
      }),
    );
    return mergedStretches(stretches).map(({ fromMs, toMs, state, reason }) => ({
      from: formatInstant(upstreamInstant(fromMs)),
      to: formatInstant(upstreamInstant(toMs)),
      state,
      reason,
    }));
  }
}
