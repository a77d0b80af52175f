import { LAYERS, type Layer } from '#lib/model/position.ts';
import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { LayerFrame, LiveFrame } from './live-frame.ts';
import { type BrowserClocks, ServerClock } from './server-clock.ts';
import { TrackStore } from './track-store.ts';

/** How the page stands with Lookout's own server. */
export type Connection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  /** Lookout's server does not answer; positions age on. */
  | { readonly kind: 'unreachable'; readonly since: UpstreamInstant | undefined }
  /** The browser itself says that it has no network. */
  | { readonly kind: 'offline' }
  | { readonly kind: 'signed-out' };

type Listener = () => void;

/** No answer is under way for longer; one that is older than this comes from a server whose clock was set back. */
const UNDER_WAY_MAX_MS = 30_000;

/** What the answers of `/api/live` have said so far: tracks, how each layer stands, and the upstream's clock. */
export class LiveFeed {
  readonly store = new TrackStore();
  readonly #clock: ServerClock;
  readonly #listeners = new Set<Listener>();
  #generation = 0;
  #latest: LiveFrame | undefined;
  #layers: Partial<Record<Layer, LayerFrame>> = {};
  #connection: Connection = { kind: 'connecting' };
  #layersOn: ReadonlySet<Layer> = new Set(LAYERS);

  constructor(clocks: BrowserClocks) {
    this.#clock = new ServerClock(clocks);
  }

  /** Called after every change. Returns how to stop. */
  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get connection(): Connection {
    return this.#connection;
  }

  get layersOn(): ReadonlySet<Layer> {
    return this.#layersOn;
  }

  /** The latest answer, without its records; `undefined` before the first. */
  get latest(): Omit<LiveFrame, 'layers'> | undefined {
    return this.#latest;
  }

  /** The latest answer that named the layer. */
  layer(layer: Layer): LayerFrame | undefined {
    return this.#layers[layer];
  }

  /** Another number whenever records that came in answers were forgotten before their time. */
  get generation(): number {
    return this.#generation;
  }

  now(): UpstreamInstant | undefined {
    return this.#clock.now();
  }

  /** Before the first answer, where `now` is not known, the browser's own time. */
  presumedNow(): UpstreamInstant {
    return this.#clock.presumedNow();
  }

  /**
   * Another answer than a live one reported the upstream's clock.
   * @param delayMs how old the report was when it came
   */
  syncClock(asOf: UpstreamInstant, delayMs: number): void {
    this.#clock.sync(asOf, delayMs);
  }

  /** False where a newer answer overtook this one, and nothing of it was applied. */
  accept(frame: LiveFrame): boolean {
    if (this.#latest && isOvertaken(frame, this.#latest)) return false;
    this.#clock.sync(frame.asOf, frame.delayMs);
    this.#latest = frame;
    for (const layer of LAYERS) {
      const layerFrame = frame.layers[layer];
      if (!layerFrame || !this.#layersOn.has(layer)) continue;
      this.#layers[layer] = layerFrame;
      for (const records of layerFrame.records) this.store.apply(records);
    }
    this.#connection = { kind: 'connected' };
    this.age();
    return true;
  }

  /** No answer could be had from Lookout's own server. Tracks stay, and age. */
  lose(connection: Exclude<Connection['kind'], 'connected' | 'connecting'>): void {
    if (this.#connection.kind === connection) return;
    this.#connection =
      connection === 'unreachable' ? { kind: connection, since: this.#clock.now() } : { kind: connection };
    this.#notify();
  }

  setLayersOn(layersOn: ReadonlySet<Layer>): void {
    for (const layer of LAYERS) {
      if (layersOn.has(layer)) continue;
      this.store.dropLayer(layer);
      this.#generation++;
      delete this.#layers[layer];
    }
    this.#layersOn = layersOn;
    this.#notify();
  }

  /** Drops what is of no more use now: removed by age, or no longer watched. Called each second. */
  age(): void {
    const now = this.#clock.now();
    if (now !== undefined) this.store.prune(epochMs(now), this.#latest?.covered);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Answers may overtake each other: an older one knows nothing that the newer one did not. */
function isOvertaken(frame: LiveFrame, latest: LiveFrame): boolean {
  return frame.asOf < latest.asOf && msBetween(frame.asOf, latest.asOf) < UNDER_WAY_MAX_MS;
}
