import 'server-only';
import { OVERVIEW_DAYS_MAX } from '#lib/api/overview.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { receptionByPlace } from '#lib/model/reception.ts';
import { LayerTally } from '#lib/overview/layer-tally.ts';
import { epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { reportedOver } from '#lib/zones/stretches/watched-reception.ts';
import { LeaseLost, type WriterLease } from '../database/writer-lease.ts';
import type { AreaEvent, AreaReads } from '../live/area-reads.ts';
import type { Part } from '../supervision/supervisor.ts';
import type { OverviewStore } from './overview-store.ts';

/** A crash loses what was received and watched since. */
const WRITTEN_EVERY_MS = 20 * SECOND_MS;
/** If the upstream's clock is set back further, the tally reloads from the store. */
const SET_BACK_MS = HOUR_MS;

export interface OverviewTallyOptions {
  readonly store: OverviewStore;
  readonly lease: WriterLease;
  readonly reads: AreaReads;
  /** The upstream's clock. */
  readonly now: () => UpstreamInstant;
  readonly part: Part;
}

type Tallies = ReadonlyMap<Layer, LayerTally>;

/**
 * Counts on the writer what is read, once, and writes it every 20 s. Reads before it is loaded count as not watched.
 */
export class OverviewTally {
  readonly #options: OverviewTallyOptions;
  readonly #ends: (() => void)[];
  readonly #timer: NodeJS.Timeout;
  /** The tallies hold for one lease: another server may write after it. */
  #loaded: { readonly tallies: Tallies; readonly fence: number } | undefined;
  readonly #writes = new Coalesced(() => this.#options.part.run(() => this.#writeOfLease()));
  #prunedMs = 0;

  constructor(options: OverviewTallyOptions) {
    this.#options = options;
    const { lease, reads } = options;
    // Writes never reject, here and below: the supervised part reports a failure.
    this.#ends = [lease.onChange(() => void this.#writes.run()), reads.subscribe((event) => this.#read(event))];
    this.#timer = setInterval(() => void this.write(), WRITTEN_EVERY_MS).unref();
    void this.write();
  }

  /** Loads what there is to count on first. */
  async write(): Promise<void> {
    await this.#writes.join();
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    clearInterval(this.#timer);
    await this.#writes.run();
  }

  #read(event: AreaEvent): void {
    const { lease } = this.#options;
    if (event.kind !== 'read' || this.#loaded?.fence !== lease.fence) return;
    const { area, positions, readAt, isComplete, reception } = event;
    const readMs = epochMs(readAt);
    const tally = this.#loaded?.tallies.get(area.layer);
    if (!tally) return;
    if (readMs < tally.readMs - SET_BACK_MS) {
      this.#loaded = undefined;
      void this.write();
      return;
    }
    tally.read({
      key: area.key,
      bbox: area.bbox,
      positions,
      readMs,
      isComplete,
      reported: reportedOver([reception]),
      places: receptionByPlace(reception, area.bbox).map((place) => ({
        bbox: place.bbox,
        reported: reportedOver([place.reception]),
      })),
    });
  }

  async #writeOfLease(): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      if (error instanceof LeaseLost) this.#loaded = undefined;
      throw error;
    }
  }

  async #write(): Promise<void> {
    const { store, lease, now } = this.#options;
    const { fence } = lease;
    if (fence === undefined) return;
    const nowMs = Math.floor(epochMs(now()));
    if (this.#loaded?.fence !== fence) this.#loaded = { tallies: await this.#load(nowMs), fence };
    const { tallies } = this.#loaded;
    const taken = [...tallies.values()].map((tally) => ({ tally, hours: tally.take(nowMs) }));
    const hours = taken.flatMap((each) => each.hours);
    try {
      if (hours.length > 0) await store.write(hours, fence);
    } catch (error) {
      for (const each of taken) each.tally.notStored(each.hours);
      throw error;
    }
    for (const each of taken) each.tally.stored(each.hours);
    if (nowMs - this.#prunedMs < HOUR_MS) return;
    await store.prune(Math.floor(nowMs / HOUR_MS) * HOUR_MS - OVERVIEW_DAYS_MAX * DAY_MS, fence);
    this.#prunedMs = nowMs;
  }

  async #load(untilMs: number): Promise<Tallies> {
    const { store } = this.#options;
    const tallies = new Map<Layer, LayerTally>();
    for (const layer of LAYERS) {
      const tally = new LayerTally(layer, await store.closedMs(layer, untilMs));
      for (const hour of await store.open(layer, untilMs)) tally.restore(hour);
      tallies.set(layer, tally);
    }
    return tallies;
  }
}
