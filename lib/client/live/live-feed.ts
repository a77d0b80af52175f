import { LAYERS, type Layer } from '#lib/model/position.ts';
import { epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import type { PageFailure } from '../request/refusal-message.ts';
import { ChangeListeners } from '../value-store.ts';
import type { LayerFrame, LiveFrame } from './compact-reader.ts';
import { type BrowserClocks, ServerClock } from './server-clock.ts';
import { TrackStore } from './track-store.ts';

export type ServerConnection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  /** Lookout's server does not answer, or cannot reach the database. */
  | { readonly kind: 'unreachable' | 'database-lost'; readonly since: UpstreamInstant | undefined }
  | { readonly kind: 'refused'; readonly status: number | undefined }
  | { readonly kind: 'offline' | 'signed-out' | PageFailure };

type LostConnection = Exclude<ServerConnection['kind'], 'connected' | 'connecting'>;

/** An answer older than this comes from a server whose clock was set back. */
const IN_FLIGHT_MAX_MS = 30_000;

/**
 * The page's knowledge of the present: tracks, each layer's state, the upstream's time, and the connection to Lookout's
 * server. It never requests anything. Panels read it through `Display`.
 */
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

  readonly subscribe = this.#listeners.subscribe;

  get connection(): ServerConnection {
    return this.#connection;
  }

  get layersOn(): ReadonlySet<Layer> {
    return this.#layersOn;
  }

  /** The latest answer without its records; `undefined` before the first one. */
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

  presumedNow(): UpstreamInstant {
    return this.#clock.presumedNow();
  }

  syncClock(asOf: UpstreamInstant, delayMs: number): void {
    this.#clock.sync(asOf, delayMs);
  }

  /**
   * `age` publishes it; until then no slot is freed, and the drawn picture stays valid.
   * @returns false for an outdated answer, which is ignored
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

  /**
   * Tracks are retained and continue to age.
   * @param status of the refusal
   */
  lose(kind: LostConnection, status?: number): void {
    const before = this.#connection;
    if (before.kind === kind && (before.kind !== 'refused' || before.status === status)) return;
    if (kind === 'refused') this.#connection = { kind, status };
    else if (kind === 'unreachable' || kind === 'database-lost') this.#connection = { kind, since: this.#clock.now() };
    else this.#connection = { kind };
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

  /** Ages the tracks. It is called after each answer, and each second without one. */
  age(): void {
    const now = this.#clock.now();
    if (now !== undefined) this.store.prune(epochMs(now), this.#latest?.covered);
    this.#listeners.notify();
  }
}

/** Answers may arrive out of order; an older one has nothing that the newer one lacks. */
function isOvertaken(frame: LiveFrame, latest: LiveFrame): boolean {
  return frame.asOf < latest.asOf && msBetween(frame.asOf, latest.asOf) < IN_FLIGHT_MAX_MS;
}

/** The shortest poll interval plus jitter: an answer ages the tracks by itself. */
const AFTER_ANSWER_MS = 1500;
const EVERY_MS = 1000;

/** Ages the tracks each second without an answer. Returns a function that stops. */
export function ageWithoutAnswers(feed: LiveFeed): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let answered = feed.latest;
  const wait = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(age, ms);
  };
  const age = () => {
    feed.age();
    wait(EVERY_MS);
  };
  const stop = feed.subscribe(() => {
    if (feed.latest === answered) return;
    answered = feed.latest;
    wait(AFTER_ANSWER_MS);
  });
  wait(EVERY_MS);
  return () => {
    stop();
    clearTimeout(timer);
  };
}
