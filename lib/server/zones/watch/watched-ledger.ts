import 'server-only';
import * as z from 'zod/mini';
import type { UnwatchedAnswer, UnwatchedQuery, WatchedAnswer, WatchedNow, ZoneSums } from '#lib/api/watching/zones.ts';
import { epochMs, formatInstant, isoTime, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { layerStretchSchema } from '#lib/zones/alarm.ts';
import { unwatchedOf, withoutLostLayers, type ZoneLedger } from '#lib/zones/stretches/lost-layers.ts';
import { type MergedStretch, mergedStretches, type StretchOfLayer } from '#lib/zones/stretches/merged-stretches.ts';
import { WATCHED_MAX_MS } from '#lib/zones/stretches/watched-reception.ts';
import {
  type WindowPart,
  type WindowSpan,
  windowParts,
  windowSums,
  type ZonePhase,
} from '#lib/zones/stretches/window-parts.ts';
import { zoneContentSchema } from '#lib/zones/zone.ts';
import type { Database } from '../../database/database.ts';
import type { KnownFailure } from '../../supervision/supervisor.ts';
import { Yielding } from '../../work/yielding.ts';
import type { CurrentZones } from '../current-zones.ts';
import { zoneBoxes } from '../zone-boxes.ts';
import { latestRevisions, type ZoneCaller } from '../zone-rows.ts';
import { lastStretches, type StretchRow, stretchesOver } from './stretch-rows.ts';

/** A writer notes unread zones after a minute. */
const UNNOTED_MAX_MS = 2 * MINUTE_MS;

/** Methods reject with a `DatabaseFailure` where the database fails. */
export class WatchedLedger {
  readonly #database: Database;
  readonly #current: Pick<CurrentZones, 'all'>;
  readonly #now: () => UpstreamInstant;
  readonly #failing: () => readonly KnownFailure[];

  constructor(
    database: Database,
    current: Pick<CurrentZones, 'all'>,
    now: () => UpstreamInstant,
    failing: () => readonly KnownFailure[],
  ) {
    this.#failing = failing;
    this.#database = database;
    this.#current = current;
    this.#now = now;
  }

  /** The present state of each zone; zones without a recent stretch are missing. */
  async present(): Promise<ReadonlyMap<string, WatchedNow>> {
    const failure = this.#watchFailure;
    if (failure) return this.#allUnwatched(failure);
    const { query } = this.#database;
    const rows = await lastStretches(query, query.selectFrom('zone').select('id as zone_id'));
    const recentMs = epochMs(this.#now()) - UNNOTED_MAX_MS;
    const byZone = Map.groupBy(
      rows.filter(({ to_ms }) => to_ms > recentMs),
      ({ zone_id }) => zone_id,
    );
    const watched = [...byZone].flatMap(([id, its]) => {
      // Layers are read at different times.
      const toMs = Math.max(...its.map(({ to_ms }) => to_ms));
      const stretches = its.map((row) => ({ ...stretchOf(row), toMs }));
      const last = mergedStretches(stretches).at(-1);
      if (!last) return [];
      const layers = stretches.map((stretch) => ({ layer: stretch.layer, ...present(stretch) }));
      // Only the last stretch of each layer is here: all are so since the last one is.
      const fromMs = last.state === 'partly' ? last.fromMs : Math.max(...stretches.map((each) => each.fromMs));
      return [[id, { ...present({ ...last, fromMs }), layers }] as const];
    });
    return new Map(watched);
  }

  /** The stretches of a zone within a time. Times without one are outside its hours. */
  async between(zoneId: string, start: UpstreamInstant, end: UpstreamInstant): Promise<WatchedAnswer> {
    const { query } = this.#database;
    const ids = query.selectFrom('zone_revision').select('zone_id').distinct().where('zone_id', '=', zoneId);
    const [startMs, endMs] = [epochMs(start), epochMs(end)];
    const { rows } = await stretchesOver(query, ids, {
      startMs: Math.floor(startMs),
      endMs: Math.ceil(endMs),
      zone: zoneId,
    });
    const latest = await lastStretches(query, ids);
    const yielding = new Yielding();
    const all = this.#within(await mapped(rows, stretchOf, yielding), latest, startMs, endMs);
    await yielding.next();
    const stretches = await mapped(mergedStretches(all), answered, yielding);
    const layers: WatchedAnswer['layers'][number][] = [];
    for (const [layer, its] of Map.groupBy(all, (each) => each.layer)) {
      await yielding.next();
      const ofLayer = await mapped(mergedStretches(its), (each) => ({ layer, ...answered(each) }), yielding);
      for (const each of ofLayer) layers.push(each);
    }
    return { stretches, layers };
  }

  /** The unwatched stretches of all zones that the caller sees, or of one. */
  async unwatched(caller: ZoneCaller, { start, end, zone, sums }: UnwatchedQuery): Promise<UnwatchedAnswer> {
    const { query } = this.#database;
    const [startMs, endMs] = [Math.floor(epochMs(start)), Math.ceil(epochMs(end))];
    const seen = latestRevisions(query, caller)
      .where((where) => where.or([where('removed', '=', 0), where('at_ms', '>', startMs)]))
      .$if(zone !== undefined, (of) => of.where('zone_id', '=', zone as string));
    const ids = seen.select('zone_id');
    const zones = await seen.select(['zone_id', 'name']).execute();
    const { rows, sinceMs } = await stretchesOver(query, ids, { startMs, endMs, zone });
    const yielding = new Yielding();
    await yielding.next();
    const of = new Map(zones.map(({ zone_id }) => [zone_id, [] as StretchOfLayer[]]));
    for (const row of rows) {
      if (yielding.isDue) await yielding.next();
      of.get(row.zone_id)?.push(stretchOf(row));
    }
    const latest = Map.groupBy(await lastStretches(query, ids), ({ zone_id }) => zone_id);
    const ledgers = zones.flatMap(({ zone_id: id, name }) => {
      const stretches = this.#within(of.get(id) ?? [], latest.get(id) ?? [], sinceMs, endMs);
      return stretches.length === 0 ? [] : [{ zone: { id, name }, stretches }];
    });
    await yielding.next();
    const found =
      zone === undefined
        ? withoutLostLayers(ledgers)
        : {
            lost: [],
            unwatched: ledgers.flatMap((each) =>
              unwatchedOf(each.stretches).map((its) => ({ ...its, zone: each.zone })),
            ),
          };
    await yielding.next();
    const window = { fromMs: sinceMs, toMs: endMs };
    const ofZones = sums && { of_zones: await this.#sums(zones, ledgers, window, yielding) };
    return {
      zones: ledgers.length,
      since: isoTime(sinceMs),
      lost: found.lost.map(({ layer, fromMs, toMs, reason }) => ({
        layer,
        from: isoTime(fromMs),
        to: isoTime(toMs),
        reason,
      })),
      unwatched: await mapped(found.unwatched, (each) => ({ zone: each.zone, ...answered(each) }), yielding),
      ...ofZones,
    };
  }

  async #sums(
    zones: readonly { readonly zone_id: string; readonly name: string }[],
    ledgers: readonly ZoneLedger<{ readonly id: string }>[],
    { fromMs, toMs }: WindowSpan,
    yielding: Yielding,
  ): Promise<ZoneSums[]> {
    const nowMs = Math.floor(epochMs(this.#now()));
    const window = { fromMs, toMs: Math.max(fromMs, Math.min(toMs, nowMs)) };
    const phases = await this.#phases(new Set(zones.map(({ zone_id }) => zone_id)), window, yielding);
    const recorded = new Map(ledgers.map((ledger) => [ledger.zone.id, ledger.stretches]));
    const found: ZoneSums[] = [];
    for (const { zone_id: id, name } of zones.toSorted((a, b) => a.name.localeCompare(b.name))) {
      await yielding.next();
      const stretches = mergedStretches(recorded.get(id) ?? []);
      const itsPhases = phases.get(id) ?? [];
      const parts = withPresent(windowParts(window, itsPhases, stretches), nowMs);
      if (parts.every(({ state }) => state === 'absent')) continue;
      const watched = parts.filter(({ state }) => state === 'watched' || state === 'partly');
      const [first, last] = [watched[0], watched.at(-1)];
      found.push({
        zone: { id, name },
        made_at: within(itsPhases[0]?.fromMs, window),
        removed_at: within(itsPhases.at(-1)?.toMs, window),
        from: first ? isoTime(first.fromMs) : null,
        to: last ? isoTime(last.toMs) : null,
        sums: windowSums(parts).map(({ state, reason, ms }) => ({ state, reason, seconds: ms / 1000 })),
      });
    }
    return found;
  }

  /** The revisions of zones within a window, by zone, each until the next one or the removal. */
  async #phases(
    ids: ReadonlySet<string>,
    { fromMs, toMs }: WindowSpan,
    yielding: Yielding,
  ): Promise<ReadonlyMap<string, readonly ZonePhase[]>> {
    const revisions = await this.#database.query
      .selectFrom('zone_revision')
      .select(['zone_id', 'at_ms', 'removed', 'content'])
      .where('at_ms', '<', toMs)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('zone_revision as next')
              .select('next.revision')
              .whereRef('next.zone_id', '=', 'zone_revision.zone_id')
              .whereRef('next.revision', '>', 'zone_revision.revision')
              .where('next.at_ms', '<=', fromMs),
          ),
        ),
      )
      .orderBy('zone_id')
      .orderBy('revision')
      .execute();
    const phases = new Map<string, ZonePhase[]>();
    for (const [index, { zone_id, at_ms, removed, content }] of revisions.entries()) {
      if (yielding.isDue) await yielding.next();
      if (removed === 1 || !ids.has(zone_id)) continue;
      const next = revisions[index + 1];
      const { hours, rules } = WATCHED_CONTENT.parse(JSON.parse(content));
      const ofZone = phases.get(zone_id) ?? [];
      const endMs = next?.zone_id === zone_id ? next.at_ms : Number.POSITIVE_INFINITY;
      ofZone.push({ fromMs: at_ms, toMs: endMs, hours, hasRules: rules.length > 0 });
      phases.set(zone_id, ofZone);
    }
    return phases;
  }

  /** The stretches within a window, with those that a writer would have noted by now. @param latest of each layer */
  #within(
    read: readonly StretchOfLayer[],
    latest: readonly StretchRow[],
    startMs: number,
    endMs: number,
  ): readonly StretchOfLayer[] {
    const notedMs = Math.max(...latest.map(({ to_ms }) => to_ms));
    const later = latest.flatMap((row) => [...untilNextRead(row, notedMs), ...this.#unnoted(row)]);
    return [...read, ...later].flatMap((stretch) => {
      const [fromMs, toMs] = [Math.max(stretch.fromMs, startMs), Math.min(stretch.toMs, endMs)];
      if (fromMs >= toMs) return [];
      const isWhole = fromMs === stretch.fromMs && toMs === stretch.toMs;
      return [isWhole ? stretch : { ...stretch, fromMs, toMs }];
    });
  }

  get #watchFailure(): KnownFailure | undefined {
    return this.#failing().find(({ part }) => part === 'watch');
  }

  #allUnwatched({ since: from }: KnownFailure): ReadonlyMap<string, WatchedNow> {
    const state = { state: 'not_watched', since: formatInstant(from), reason: 'watch_failed' } as const;
    const active = this.#current.all.filter(({ activeHours }) => activeHours.isActive(epochMs(this.#now())));
    return new Map(
      active.map((zone) => {
        const layers = new Set(zoneBoxes(zone).map(({ layer }) => layer));
        return [zone.id, { ...state, layers: [...layers].map((layer) => ({ layer, ...state })) }];
      }),
    );
  }

  #unnoted({ zone_id, layer, to_ms }: StretchRow): readonly StretchOfLayer[] {
    const nowMs = epochMs(this.#now());
    const zone = this.#current.all.find(({ id }) => id === zone_id);
    const activeSinceMs = zone?.activeHours.activeSince(nowMs);
    if (!zone || activeSinceMs === undefined) return [];
    const fromMs = Math.max(to_ms, activeSinceMs);
    const reason = this.#watchFailure ? 'watch_failed' : 'no_writer';
    if (nowMs - fromMs <= UNNOTED_MAX_MS || zoneBoxes(zone).every((box) => box.layer !== layer)) return [];
    return [{ layer: layerOf(layer), fromMs, toMs: nowMs, state: 'not_watched', reason }];
  }
}

function within(atMs: number | undefined, { fromMs, toMs }: WindowSpan): string | null {
  return atMs !== undefined && atMs > fromMs && atMs < toMs ? isoTime(atMs) : null;
}

const WATCHED_CONTENT = z.object({
  hours: zoneContentSchema.shape.hours,
  rules: z.array(z.unknown()),
});

/** The last stretch grows with each read: until the next one, or until a writer notes that it is late, it is as before. */
function withPresent(parts: readonly WindowPart[], nowMs: number): readonly WindowPart[] {
  const [before, last] = [parts.at(-2), parts.at(-1)];
  const isUnnoted = last?.reason === 'no_record' && last.toMs === nowMs && nowMs - last.fromMs <= UNNOTED_MAX_MS;
  const isSeen = before?.state === 'watched' || before?.state === 'partly' || before?.state === 'not_watched';
  if (!before || !last || !isUnnoted || !isSeen) return parts;
  return [...parts.slice(0, -2), { ...before, toMs: last.toMs }];
}

/** Layers are read at different times: each is as before until its next read is late. */
function untilNextRead(row: StretchRow, notedMs: number): readonly StretchOfLayer[] {
  const maxMs = row.state === 'watched' ? WATCHED_MAX_MS : UNNOTED_MAX_MS;
  const isRecent = row.to_ms < notedMs && notedMs - row.to_ms <= maxMs;
  return isRecent ? [{ ...stretchOf(row), fromMs: row.to_ms, toMs: notedMs }] : [];
}

/** Makes a result of each item, and yields in between: a month has thousands of items at most. */
async function mapped<Item, Result>(items: readonly Item[], make: (item: Item) => Result, yielding: Yielding) {
  const made: Result[] = [];
  for (const item of items) {
    if (yielding.isDue) await yielding.next();
    made.push(make(item));
  }
  return made;
}

function stretchOf({ layer, from_ms, to_ms, state, reason }: StretchRow): StretchOfLayer {
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

function present({ fromMs, state, reason }: MergedStretch): Omit<WatchedNow, 'layers'> {
  return { state, since: isoTime(fromMs), reason };
}

function answered({ fromMs, toMs, state, reason }: MergedStretch): WatchedAnswer['stretches'][number] {
  return { from: isoTime(fromMs), to: isoTime(toMs), state, reason };
}
