import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { compareInstants, epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { type Window, windowContains } from '#lib/time/window.ts';
import type { Observation, PastObservations } from '../sources/observation.ts';

/** How far back it goes, a little more than what one question may ask for. */
const KEPT_MS = HOUR_MS + MINUTE_MS;
/** About 100 MB. A hundred aircraft once a second for an hour are less. */
const DEFAULT_COUNT_MAX = 400_000;
/** The observations of one layer and minute. */
interface Minute {
  readonly observations: Observation[];
  isSorted: boolean;
}

/** The past hour of a service without a data directory, in memory: less where there is too much of it. */
export class MemoryPast {
  readonly #countMax: number;
  readonly #minutes: Record<Layer, Map<number, Minute>> = { rid: new Map(), adsb: new Map() };
  #count = 0;

  constructor(countMax = DEFAULT_COUNT_MAX) {
    this.#countMax = countMax;
  }

  append(observations: readonly Observation[]): void {
    let latestMs = Number.NEGATIVE_INFINITY;
    for (const observation of observations) {
      const observedMs = epochMs(observation.observedAt);
      latestMs = Math.max(latestMs, observedMs);
      const minutes = this.#minutes[observation.layer];
      const start = Math.floor(observedMs / MINUTE_MS);
      const minute = minutes.get(start) ?? { observations: [], isSorted: true };
      minutes.set(start, minute);
      minute.observations.push(observation);
      minute.isSorted = false;
      this.#count += 1;
    }
    this.#forget(latestMs - KEPT_MS);
  }

  history(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<PastObservations> {
    const found: Observation[] = [];
    const first = Math.floor(epochMs(window.start) / MINUTE_MS);
    const last = Math.floor((epochMs(window.end) - 1) / MINUTE_MS);
    for (let start = first; start <= last && found.length <= maxCount; start += 1) {
      for (const observation of this.#sorted(layer, start)) {
        if (found.length > maxCount) break;
        const { lon, lat, observedAt } = observation;
        if (windowContains(window, observedAt) && bboxContains(bbox, lon, lat)) found.push(observation);
      }
    }
    return Promise.resolve({ observations: found.slice(0, maxCount), more: found.length > maxCount });
  }

  async historyTimes(layer: Layer, bbox: Bbox, window: Window, maxCount: number): Promise<UpstreamInstant[]> {
    const { observations } = await this.history(layer, bbox, window, maxCount);
    return observations.map(({ observedAt }) => observedAt);
  }

  /** When the oldest observation that is kept was observed; undefined if there is none. */
  oldestAt(): UpstreamInstant | undefined {
    let oldest: UpstreamInstant | undefined;
    for (const layer of LAYERS) {
      for (const start of this.#minutes[layer].keys()) {
        const first = this.#sorted(layer, start)[0]?.observedAt;
        if (first !== undefined && (oldest === undefined || first < oldest)) oldest = first;
      }
    }
    return oldest;
  }

  #sorted(layer: Layer, start: number): readonly Observation[] {
    const minute = this.#minutes[layer].get(start);
    if (minute === undefined) return [];
    if (!minute.isSorted) minute.observations.sort(inOrder);
    minute.isSorted = true;
    return minute.observations;
  }

  /** Whole minutes are forgotten, of both layers: those before the given time, and the oldest of too many. */
  #forget(beforeMs: number): void {
    const starts = LAYERS.flatMap((layer) => [...this.#minutes[layer].keys()]);
    for (const start of new Set(starts.sort((a, b) => a - b))) {
      if ((start + 1) * MINUTE_MS > beforeMs && this.#count <= this.#countMax) break;
      for (const layer of LAYERS) {
        this.#count -= this.#minutes[layer].get(start)?.observations.length ?? 0;
        this.#minutes[layer].delete(start);
      }
    }
  }
}

/** By time; at one time by track, so that the same question has the same answer. */
function inOrder(a: Observation, b: Observation): number {
  return (
    compareInstants(a.observedAt, b.observedAt) || (a.sourceId < b.sourceId ? -1 : a.sourceId > b.sourceId ? 1 : 0)
  );
}
