import 'server-only';
import type { WatchedNow } from '#lib/api/zones.ts';
import { epochMs, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type WatchedStretch, watchedStretchSchema } from '#lib/zones/alarm.ts';
import type { Database } from '../database/database.ts';
import { orRefuse } from '../database/database-failure.ts';
import type { Tables } from '../database/tables/tables.ts';
import { type LayerStretch, mergedStretches } from './merged-stretches.ts';

/** The ledger is written every few seconds. */
const PRESENT_MS = 2 * MINUTE_MS;

/** When zones were watched. Every method throws `ApiError` where it cannot be read. */
export class WatchedLedger {
  readonly #database: Database;
  readonly #now: () => UpstreamInstant;

  constructor(database: Database, now: () => UpstreamInstant) {
    this.#database = database;
    this.#now = now;
  }

  /** What each zone is now, all layers together. A zone without a stretch of the last minutes is missing. */
  async present(): Promise<ReadonlyMap<string, WatchedNow>> {
    const rows = await orRefuse(
      this.#database.query
        .selectFrom('zone_stretch')
        .selectAll()
        .where('to_ms', '>', Math.floor(epochMs(this.#now())) - PRESENT_MS)
        .execute(),
    );
    const byZone = Map.groupBy(rows, ({ zone_id }) => zone_id);
    const present = [...byZone].flatMap(([id, its]) => {
      const last = mergedStretches(its.map(layerStretch)).at(-1);
      if (!last) return [];
      const { fromMs, state, reason } = last;
      return [[id, { state, since: formatInstant(upstreamInstant(fromMs)), reason }] as const];
    });
    return new Map(present);
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
    const stretches = rows.map(layerStretch).map(({ fromMs, toMs, ...stretch }) => ({
      ...stretch,
      fromMs: Math.max(fromMs, startMs),
      toMs: Math.min(toMs, endMs),
    }));
    return mergedStretches(stretches).map(({ fromMs, toMs, state, reason }) => ({
      from: formatInstant(upstreamInstant(fromMs)),
      to: formatInstant(upstreamInstant(toMs)),
      state,
      reason,
    }));
  }
}

function layerStretch({ layer, from_ms, to_ms, state, reason }: Tables['zone_stretch']): LayerStretch {
  return {
    layer,
    fromMs: from_ms,
    toMs: to_ms,
    state: watchedStretchSchema.shape.state.parse(state),
    reason: watchedStretchSchema.shape.reason.parse(reason),
  };
}
