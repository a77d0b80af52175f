import 'server-only';
import type { WatchedAnswer, WatchedNow } from '#lib/api/watching/zones.ts';
import { epochMs, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { layerStretchSchema } from '#lib/zones/alarm.ts';
import { type MergedStretch, mergedStretches, type StretchOfLayer } from '#lib/zones/merged-stretches.ts';
import type { Database } from '../../database/database.ts';
import { orRefuse } from '../../database/database-failure.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { CurrentZones } from '../current-zones.ts';

/** A writer notes unread zones after a minute. */
const UNNOTED_MAX_MS = 2 * MINUTE_MS;

/** Methods throw `ApiError` where the database fails. */
export class WatchedLedger {
  readonly #database: Database;
  readonly #current: Pick<CurrentZones, 'all'>;
  readonly #now: () => UpstreamInstant;

  constructor(database: Database, current: Pick<CurrentZones, 'all'>, now: () => UpstreamInstant) {
    this.#database = database;
    this.#current = current;
    this.#now = now;
  }

  /** Zones without a recent stretch are missing. */
  async present(): Promise<ReadonlyMap<string, WatchedNow>> {
    const rows = await orRefuse(
      this.#database.query
        .selectFrom('zone_stretch')
        .selectAll()
        .where('to_ms', '>', Math.floor(epochMs(this.#now())) - UNNOTED_MAX_MS)
        .execute(),
    );
    const byZone = Map.groupBy(rows, ({ zone_id }) => zone_id);
    const present = [...byZone].flatMap(([id, its]) => {
      const last = mergedStretches(its.map(stretchOf)).at(-1);
      if (!last) return [];
      const { fromMs, state, reason } = last;
      return [[id, { state, since: formatInstant(upstreamInstant(fromMs)), reason }] as const];
    });
    return new Map(present);
  }

  /** Times without a stretch are outside its hours. */
  async between(zoneId: string, start: UpstreamInstant, end: UpstreamInstant): Promise<WatchedAnswer> {
    const [startMs, endMs] = [epochMs(start), epochMs(end)];
    const of = this.#database.query.selectFrom('zone_stretch').where('zone_id', '=', zoneId);
    const rows = await orRefuse(
      of.selectAll().where('to_ms', '>', Math.floor(startMs)).where('from_ms', '<', Math.ceil(endMs)).execute(),
    );
    const latest = await orRefuse(
      of
        .select(({ fn }) => ['layer', fn.max('to_ms').as('to_ms')])
        .groupBy('layer')
        .execute(),
    );
    const stretches = rows.map(stretchOf).map(({ fromMs, toMs, ...stretch }) => ({
      ...stretch,
      fromMs: Math.max(fromMs, startMs),
      toMs: Math.min(toMs, endMs),
    }));
    const unnoted = latest.flatMap(({ layer, to_ms }) => this.#unnoted(zoneId, layer, to_ms, startMs, endMs));
    const all = [...stretches, ...unnoted];
    return {
      stretches: mergedStretches(all).map(answered),
      layers: [...Map.groupBy(all, ({ layer }) => layer)].flatMap(([layer, its]) =>
        mergedStretches(its).map((stretch) => ({ layer, ...answered(stretch) })),
      ),
    };
  }

  /** The stretch that a writer would have noted by now. */
  #unnoted(zoneId: string, layer: string, notedMs: number, startMs: number, endMs: number): readonly StretchOfLayer[] {
    const nowMs = epochMs(this.#now());
    const zone = this.#current.all.find(({ id }) => id === zoneId);
    const activeSinceMs = zone?.activeHours.activeSince(nowMs);
    if (activeSinceMs === undefined || nowMs - Math.max(notedMs, activeSinceMs) <= UNNOTED_MAX_MS) return [];
    const [fromMs, toMs] = [Math.max(notedMs, activeSinceMs, startMs), Math.min(nowMs, endMs)];
    return fromMs < toMs ? [{ layer: layerOf(layer), fromMs, toMs, state: 'not_watched', reason: 'no_writer' }] : [];
  }
}

function stretchOf({ layer, from_ms, to_ms, state, reason }: Tables['zone_stretch']): StretchOfLayer {
  return {
    layer: layerOf(layer),
    fromMs: from_ms,
    toMs: to_ms,
    state: layerStretchSchema.shape.state.parse(state),
    reason: layerStretchSchema.shape.reason.parse(reason),
  };
}

function layerOf(text: string): StretchOfLayer['layer'] {
  return layerStretchSchema.shape.layer.parse(text);
}

function answered({ fromMs, toMs, state, reason }: MergedStretch): WatchedAnswer['stretches'][number] {
  return { from: formatInstant(upstreamInstant(fromMs)), to: formatInstant(upstreamInstant(toMs)), state, reason };
}
