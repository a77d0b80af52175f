import { KIND_OF_LAYER } from '#lib/model/layer-kind.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import { type LayerLoadProgress, withGaps } from './replay-progress.ts';
import type { ReplayGap, ReplayLayer } from './replay-summary.ts';
import type { ObservationColumns } from './store/observation-columns.ts';
import { ReplayCursor, type TimeToLive } from './store/replay-cursor.ts';
import { ReplayStore } from './store/replay-store.ts';

const SLICE = 2000;

export class LoadedPast {
  readonly store: ReplayStore;
  readonly cursor: ReplayCursor;
  readonly #overflow: { readonly layer: Layer; readonly gap: ReplayGap }[] = [];
  readonly #leadInMs: number;
  #added: Promise<void> = Promise.resolve();

  /** @param leadInMs in whole minutes */
  constructor({ start, end }: Window, leadInMs: number, ttlMs: TimeToLive, layers: ReadonlySet<Layer>) {
    this.#leadInMs = leadInMs;
    this.store = new ReplayStore({ window: { start: addMs(start, -leadInMs), end } });
    this.cursor = new ReplayCursor(this.store, ttlMs);
    this.cursor.setShown(layers);
  }

  /**
   * In slices; resolves once added, or dropped because `isWanted` returned false.
   * @param place where and when the part was received
   */
  add(
    layer: Layer,
    place: Omit<ReplayGap, 'reason'>,
    records: ObservationColumns,
    { yieldToMain, isWanted }: { yieldToMain(): Promise<void>; isWanted(): boolean },
  ): Promise<void> {
    this.#added = this.#added.then(async () => {
      let refused = 0;
      for (let first = 0; first < records.count && isWanted(); first += SLICE) {
        refused += this.store.add(records, first, Math.min(records.count, first + SLICE)).refused;
        if (first + SLICE < records.count) await yieldToMain();
      }
      if (refused > 0) this.#overflow.push({ layer, gap: { ...place, reason: 'page_full' } });
    });
    return this.#added;
  }

  get added(): Promise<void> {
    return this.#added;
  }

  summariseLayer(layer: Layer, progress: LayerLoadProgress): Omit<ReplayLayer, 'on'> {
    const { binMs, counts } = this.store.histogram;
    const histogram = counts[layer].subarray(this.#leadInMs / binMs);
    const overflow = this.#overflow.flatMap((each) => (each.layer === layer ? [each.gap] : []));
    const leadInMinutes = this.#leadInMs / MINUTE_MS;
    const { minutes, ...rest } = withGaps(progress, overflow, this.store.window);
    return {
      layer,
      shownForMs: this.cursor.shownForMs(KIND_OF_LAYER[layer]),
      histogram,
      observations: histogram.reduce((sum, count) => sum + count, 0),
      ...rest,
      leadIn: minutes.slice(0, leadInMinutes),
      minutes: minutes.slice(leadInMinutes),
    };
  }
}
