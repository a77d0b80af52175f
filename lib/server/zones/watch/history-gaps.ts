import 'server-only';
import { HISTORY_MAX_AGE_MS } from '#lib/contract/limits.ts';
import { addMs, epochMs, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { gapWindow } from '#lib/zones/evaluate-gap.ts';
import { WATCHED_AS, worsenedStretch } from '#lib/zones/stretches/watched-reception.ts';
import type { WriterLease } from '../../database/writer-lease.ts';
import type { HistoryReader } from '../../history/history-reader.ts';
import { ZONES } from '../../live/plan/demand-of-all.ts';
import type { Part } from '../../supervision/supervisor.ts';
import type { OpenStretch } from '../alarms/alarm-store.ts';
import type { CurrentZone, CurrentZones } from '../current-zones.ts';
import { loadZonePast, type ZonePast } from '../zone-past.ts';
import type { GapStore, OpenGap } from './gap-store.ts';
import type { ZoneWatch } from './zone-watch.ts';

const LOOKS_EVERY_MS = 30 * SECOND_MS;
/** The past is final after 30 s, and a minute after the gap is read too. */
const NEWEST_MS = 90 * SECOND_MS;
/** Older gaps are near the end of history. */
const OLDEST_MS = DAY_MS;

export interface HistoryGapsOptions {
  readonly store: GapStore;
  readonly watch: Pick<ZoneWatch, 'hearGap'>;
  readonly history: Pick<HistoryReader, 'load'>;
  readonly current: Pick<CurrentZones, 'all'>;
  readonly lease: WriterLease;
  readonly now: () => UpstreamInstant;
  readonly part: Part;
}

/** On the writer alone. */
export class HistoryGaps {
  readonly #options: HistoryGapsOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #stop = new AbortController();
  #looking: Promise<void> | undefined;

  constructor(options: HistoryGapsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), LOOKS_EVERY_MS).unref();
  }

  look(): Promise<void> {
    this.#looking ??= this.#options.part
      .run(() =>
        this.#look().catch((error: unknown) => {
          if (!this.#stop.signal.aborted) throw error;
        }),
      )
      .then(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#looking;
  }

  async #look(): Promise<void> {
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
      await this.#read(zone, gap, { day, left, fence });
    }
  }

  async #read(
    zone: CurrentZone,
    gap: OpenGap,
    { day, left, fence }: { readonly day: string; readonly left: number; readonly fence: number },
  ): Promise<void> {
    const { store, watch } = this.#options;
    // Before sending: requests lost in a crash are spent.
    await store.spend(zone.id, day, left, fence);
    let requests = 0;
    try {
      const loaded = await this.#load(zone, gap, left);
      requests = loaded.requests;
      if (!loaded.isComplete) return;
      const { zoneId, layer, fromMs, toMs } = gap;
      watch.hearGap({
        kind: 'gap',
        gap: { zoneId, layer, from: upstreamInstant(fromMs), to: upstreamInstant(toMs) },
        observations: loaded.observations,
        madeUp: filled(gap, loaded),
      });
    } finally {
      await store.spend(zone.id, day, requests - left, fence);
    }
  }

  async #load(zone: CurrentZone, { layer, fromMs, toMs }: OpenGap, maxRequests: number): Promise<ZonePast> {
    const window = gapWindow(zone, {
      zoneId: zone.id,
      layer,
      from: upstreamInstant(fromMs),
      to: upstreamInstant(toMs),
    });
    return loadZonePast({
      zone,
      layers: [layer],
      window,
      maxRequests,
      signal: this.#stop.signal,
      load: (query, signal) => this.#options.history.load(query, ZONES, signal),
    });
  }
}

/** Times without a receiver stay unwatched. */
function filled(gap: OpenGap, { unheard }: ZonePast): readonly OpenStretch[] {
  return unheard
    .filter(({ layer }) => layer === gap.layer)
    .map(({ from, to, state }) => ({ fromMs: epochMs(from), toMs: epochMs(to), ...WATCHED_AS[state] }))
    .reduce<readonly OpenStretch[]>(
      (all, worse) => all.flatMap((stretch) => worsenedStretch(stretch, worse)),
      [{ ...gap, state: 'watched', reason: null }],
    );
}
