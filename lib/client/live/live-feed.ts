import { LAYERS, type Layer } from '#lib/model/position.ts';
import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { ChangeListeners } from '../change-listeners.ts';
import type { LayerFrame, LiveFrame } from './live-frame.ts';
import { type BrowserClocks, ServerClock } from './server-clock.ts';
import { TrackStore } from './track-store.ts';

export type ServerConnection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  /** Lookout's server does not answer, or answers that it does not reach what several servers share; positions continue to age. */
  | { readonly kind: 'unreachable' | 'database-lost'; readonly since: UpstreamInstant | undefined }
  /** The browser reports that it has no network. */
  | { readonly kind: 'offline' }
  | { readonly kind: 'signed-out' };

/** No answer is in flight for longer; one that is older than this comes from a server whose clock was set back. */
const IN_FLIGHT_MAX_MS = 30_000;

/** The state from all answers of `/api/live` so far: tracks, each layer's status, and the upstream's clock. */
export class LiveFeed {
  readonly store = new TrackStore();
  readonly #clock: ServerClock;
  readonly #listeners = new ChangeListeners();
  #generation = 0;
  #latest: LiveFrame | undefined;
  #layers: Partial<Record<Layer, LayerFrame>> = {};
  #connection: ServerConnection = { kind: 'connecting' };
  #layersOn: ReadonlySet<Layer> = new Set(LAYERS);

  constructor(clocks: BrowserClocks) {
    this.#clock = new ServerClock(clocks);
  }

  /** To every change. */
  readonly subscribe = this.#listeners.subscribe;

  get connection(): ServerConnection {
    return this.#connection;
  }

  get layersOn(): ReadonlySet<Layer> {
    return this.#layersOn;
  }

  /** The latest answer, without its records; `undefined` before the first. */
  get latest(): Omit<LiveFrame, 'layers'> | undefined {
    return this.#latest;
  }

  layer(layer: Layer): LayerFrame | undefined {
    return this.#layers[layer];
  }

  /** Changes whenever received records were dropped before they expired. */
  get generation(): number {
    return this.#generation;
  }

  now(): UpstreamInstant | undefined {
    return this.#clock.now();
  }

  /** Like `now`, but the browser's time before the first answer. */
  presumedNow(): UpstreamInstant {
    return this.#clock.presumedNow();
  }

  /**
   * Sets the upstream's clock from an answer other than a live one.
   * @param delayMs how old the answer was when it arrived
   */
  syncClock(asOf: UpstreamInstant, delayMs: number): void {
    this.#clock.sync(asOf, delayMs);
  }

  /**
   * Applies an answer; `age` then publishes it. Until then the picture that was drawn before stays valid: no slot is freed.
   * @returns false if a newer answer arrived earlier, and this one was ignored
   */
  apply(frame: LiveFrame): boolean {
    if (this.#latest && isOvertaken(frame, this.#latest)) return false;
    this.#clock.sync(frame.asOf, frame.delayMs);
    const coveredBefore = this.#latest?.covered;
    this.#latest = frame;
    for (const layer of LAYERS) {
      const layerFrame = frame.layers[layer];
      if (!layerFrame || !this.#layersOn.has(layer)) continue;
      // Tracks of a layer that was just switched on may have begun before.
      const before = this.#layers[layer] && coveredBefore;
      this.#layers[layer] = layerFrame;
      for (const records of layerFrame.records) this.store.apply(records, before);
    }
    this.#connection = { kind: 'connected' };
    return true;
  }

  /** Reports that Lookout's own server did not answer. Tracks are retained and continue to age. */
  lose(connection: Exclude<ServerConnection['kind'], 'connected' | 'connecting'>): void {
    if (this.#connection.kind === connection) return;
    this.#connection =
      connection === 'unreachable' || connection === 'database-lost'
        ? { kind: connection, since: this.#clock.now() }
        : { kind: connection };
    this.#listeners.notify();
  }

  setLayersOn(layersOn: ReadonlySet<Layer>): void {
    for (const layer of LAYERS) {
      if (layersOn.has(layer)) continue;
      this.store.dropLayer(layer);
      this.#generation++;
      delete this.#layers[layer];
    }
    this.#layersOn = layersOn;
    this.#listeners.notify();
  }

  /** Drops tracks that were removed by age or are no longer covered. Called after each answer, and each second without one. */
  age(): void {
    const now = this.#clock.now();
    if (now !== undefined) this.store.prune(epochMs(now), this.#latest?.covered);
    this.#listeners.notify();
  }
}

/** Answers may arrive out of order; an older one contains nothing that the newer one does not. */
function isOvertaken(frame: LiveFrame, latest: LiveFrame): boolean {
  return frame.asOf < latest.asOf && msBetween(frame.asOf, latest.asOf) < IN_FLIGHT_MAX_MS;
}
