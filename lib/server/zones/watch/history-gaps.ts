import 'server-only';
import { Coalesced } from '#lib/async/coalesced.ts';
import { HISTORY_MAX_AGE_MS } from '#lib/contract/limits.ts';
import { addMs, epochMs, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { gapWindow } from '#lib/zones/evaluate-gap.ts';
import { RECEPTION_REASONS, WATCHED_AS, worsenedStretch } from '#lib/zones/stretches/watched-reception.ts';
import type { Database } from '../../database/database.ts';
import { requireLease, type WriterLease } from '../../database/writer-lease.ts';
import type { HistoryReader } from '../../history/history-reader.ts';
import { type ReadPast, readPast } from '../../history/read-past.ts';
import { ZONES } from '../../live/plan/demand-of-all.ts';
import type { Part } from '../../supervision/supervisor.ts';
import type { CurrentZone, CurrentZones } from '../current-zones.ts';
import { historyBoxes } from '../zone-boxes.ts';
import { type OpenStretch, stretchOfRow } from './stretch-rows.ts';
import type { ZoneWatch } from './zone-watch.ts';

const RUNS_EVERY_MS = 30 * SECOND_MS;
/** The past is final after 30 s, and a minute after the gap is read too. */
const NEWEST_MS = 90 * SECOND_MS;
/** Older gaps are near the end of history. */
const OLDEST_MS = DAY_MS;

export interface HistoryGapsOptions {
  readonly store: GapStore;
  readonly watch: Pick<ZoneWatch, 'takeGap'>;
  readonly history: Pick<HistoryReader, 'load'>;
  readonly current: Pick<CurrentZones, 'all'>;
  readonly lease: WriterLease;
  readonly now: () => UpstreamInstant;
  readonly part: Part;
}

/**
 * Reads, on the writer alone, the history of times in which a zone was not or only partly watched, and gives it to the
 * watch. The operator of a zone allows requests for that; it never spends more of them in a day.
 */
export class HistoryGaps {
  readonly #options: HistoryGapsOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #stop = new AbortController();
  readonly #runs = new Coalesced(() => this.#options.part.run(() => this.#readUntilStopped()));

  constructor(options: HistoryGapsOptions) {
    this.#options = options;
    // It never rejects: the part reports a failure.
    this.#timer = setInterval(() => void this.run(), RUNS_EVERY_MS).unref();
  }

  /** Never rejects: the part reports failures. A run that goes on already is the same. */
  async run(): Promise<void> {
    await this.#runs.join();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#runs.idle();
  }

  async #readUntilStopped(): Promise<void> {
    try {
      await this.#readGaps();
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }

  async #readGaps(): Promise<void> {
    const { store, current, lease, now } = this.#options;
    const zones = new Map(current.all.filter((zone) => zone.historyRequestsADay > 0).map((zone) => [zone.id, zone]));
    if (lease.fence === undefined || zones.size === 0) return;
    const day = formatInstant(now()).slice(0, 10);
    const oldest = addMs(now(), OLDEST_MS - HISTORY_MAX_AGE_MS);
    for (const gap of await store.open([...zones.keys()], oldest, addMs(now(), -NEWEST_MS))) {
      const zone = zones.get(gap.zoneId);
      const { fence } = lease;
      if (!zone || fence === undefined || this.#stop.signal.aborted) continue;
      const left = zone.historyRequestsADay - (await store.spent(zone.id, day));
      if (left <= 0) continue;
      await this.#fill(zone, gap, { day, left, fence });
    }
  }

  async #fill(
    zone: CurrentZone,
    gap: OpenStretch,
    { day, left, fence }: { readonly day: string; readonly left: number; readonly fence: number },
  ): Promise<void> {
    const { store, watch } = this.#options;
    // Requests count as spent before they are sent, since a crash loses their number.
    await store.spend(zone.id, day, left, fence);
    let requests = 0;
    try {
      const loaded = await this.#load(zone, gap, left);
      requests = loaded.requests;
      if (!loaded.isComplete) return;
      const { zoneId, layer, fromMs, toMs } = gap;
      watch.takeGap({
        kind: 'gap',
        gap: { zoneId, layer, from: upstreamInstant(fromMs), to: upstreamInstant(toMs) },
        observations: loaded.observations,
        madeUp: filled(gap, loaded),
      });
    } finally {
      await store.spend(zone.id, day, requests - left, fence);
    }
  }

  async #load(zone: CurrentZone, { layer, fromMs, toMs }: OpenStretch, maxRequests: number): Promise<ReadPast> {
    const window = gapWindow(zone, {
      zoneId: zone.id,
      layer,
      from: upstreamInstant(fromMs),
      to: upstreamInstant(toMs),
    });
    return readPast({
      boxes: historyBoxes(zone).filter((box) => box.layer === layer),
      window,
      maxRequests,
      signal: this.#stop.signal,
      load: (query, signal) => this.#options.history.load(query, ZONES, signal),
    });
  }
}

/** Times without a receiver stay unwatched. */
function filled(gap: OpenStretch, { impaired }: ReadPast): readonly OpenStretch[] {
  return impaired
    .filter(({ layer }) => layer === gap.layer)
    .map(({ from, to, state }) => ({ fromMs: epochMs(from), toMs: epochMs(to), ...WATCHED_AS[state] }))
    .reduce<readonly OpenStretch[]>(
      (all, worse) => all.flatMap((stretch) => worsenedStretch(stretch, worse)),
      [{ ...gap, state: 'watched', reason: null }],
    );
}

/** The gaps that one run reads at most. */
const GAPS_MAX = 100;

/** The gaps that history can fill, and what was spent on them. Methods reject with `DatabaseFailure` or `LeaseLost`. */
export class GapStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The open gaps: unwatched stretches first, then oldest first. */
  async open(zoneIds: readonly string[], from: UpstreamInstant, to: UpstreamInstant): Promise<readonly OpenStretch[]> {
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
    return rows.map(stretchOfRow);
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
    await this.#database.change(async (query) => {
      await requireLease(query, this.#database.dialect, fence);
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
}
