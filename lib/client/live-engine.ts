import { type Bbox, bboxCovers } from '#lib/geo/bbox.ts';
import { joinAtAntimeridian } from '#lib/geo/join-at-antimeridian.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import { LAYERS, type Layer, type Position } from '#lib/model/position.ts';
import { drawPicture, emptyCounts, type PictureCounts } from '#lib/picture/draw-picture.ts';
import { makePicture, type Picture } from '#lib/picture/picture.ts';
import type { PicturedTracks } from '#lib/picture/pictured-tracks.ts';
import type { LayerFrame, LiveFrame } from './live-frame.ts';
import type { Connection, LayerStatus, LiveSummary } from './live-summary.ts';
import { type BrowserClocks, ServerClock } from './server-clock.ts';
import { TrackStore } from './track-store.ts';

type Listener = () => void;

/** No answer is under way for longer; one that is older than this comes from a server whose clock was set back. */
const UNDER_WAY_MOST_MS = 30_000;

const PAST_SUMMARY_EVERY_MS = 200;

/** A moment of the past that is shown in place of now. */
export interface PastMoment {
  readonly tracks: PicturedTracks;
  readonly atMs: number;
  /** What was loaded; nothing is known of what lies outside. */
  readonly area: Bbox;
}

/**
 * The live picture of one page: answers come in, a picture at "now" comes out. Made once in a provider; React reads the
 * summary, the map reads the picture, and positions never go through React state.
 */
export class LiveEngine {
  readonly store = new TrackStore();
  readonly #clock: ServerClock;
  readonly #listeners = new Set<Listener>();
  #picture = makePicture(1024);
  #generation = 0;
  #counts: PictureCounts = emptyCounts();
  #frame: LiveFrame | undefined;
  #layerFrames: Partial<Record<Layer, LayerFrame>> = {};
  #connection: Connection = { kind: 'connecting' };
  #selectedRef: string | undefined;
  #lastSelected: { readonly position: Position; readonly expiresAtMs: number } | undefined;
  #layersOn: ReadonlySet<Layer> = new Set(LAYERS);
  #visible: Bbox | undefined;
  #past: PastMoment | undefined;
  #summary: LiveSummary;
  readonly #monotonicMs: () => number;
  #summarisedMs = Number.NEGATIVE_INFINITY;

  constructor(clocks: BrowserClocks) {
    this.#monotonicMs = clocks.monotonicMs;
    this.#clock = new ServerClock(clocks);
    this.#summary = this.#summarise();
  }

  /** Called after every change of picture and summary. Returns how to stop. */
  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly summary = (): LiveSummary => this.#summary;

  /** The marks as they are now; its columns are reused, so copy what is kept. */
  picture(): Picture {
    return this.#picture;
  }

  /** The tracks that the picture is made from. */
  get tracks(): PicturedTracks {
    return this.#past?.tracks ?? this.store;
  }

  /** Now on the upstream's clock, whatever moment is shown. */
  nowMs(): number | undefined {
    return this.#clock.nowMs();
  }

  /** Shows a moment of the past; `undefined`: now again. What is known of now is kept, and ages. */
  showPast(moment: PastMoment | undefined): void {
    const playsOn = moment !== undefined && this.#past !== undefined;
    this.#past = moment;
    const isEarly = this.#monotonicMs() - this.#summarisedMs < PAST_SUMMARY_EVERY_MS;
    if (!playsOn || !isEarly) {
      this.refresh();
      return;
    }
    // The map moves with every frame of a replay; counts and ages in the panels need not.
    this.#draw();
    this.#tell();
  }

  /** Takes over what an answer said of the upstream's clock, and how old that was when it came. */
  syncClock(asOfMs: number, delayMs: number): void {
    this.#clock.sync(asOfMs, delayMs);
  }

  /** Another number whenever records that came in answers were forgotten before their time. */
  get generation(): number {
    return this.#generation;
  }

  /** False where the frame was overtaken by a newer one, and nothing of it was taken over. */
  accept(frame: LiveFrame): boolean {
    if (this.#frame && isOvertaken(frame, this.#frame)) return false;
    this.#clock.sync(frame.asOfMs, frame.delayMs);
    this.#frame = frame;
    for (const layer of LAYERS) {
      const layerFrame = frame.layers[layer];
      if (!layerFrame || !this.#layersOn.has(layer)) continue;
      this.#layerFrames[layer] = layerFrame;
      for (const records of layerFrame.records) this.store.apply(records);
    }
    this.#connection = { kind: 'connected' };
    this.refresh();
    return true;
  }

  /** Says that no answer could be had from Lookout's own server. The picture stays and ages. */
  lose(connection: Exclude<Connection['kind'], 'connected' | 'connecting'>): void {
    if (this.#connection.kind === connection) return;
    this.#connection =
      connection === 'unreachable' ? { kind: connection, sinceMs: this.#clock.nowMs() } : { kind: connection };
    this.refresh();
  }

  /** What the map shows: where all of it is watched, nothing needs to be said of the rest that was asked around it. */
  setVisible(visible: Bbox | undefined): void {
    this.#visible = visible;
    this.refresh();
  }

  setLayersOn(layersOn: ReadonlySet<Layer>): void {
    for (const layer of LAYERS) {
      if (layersOn.has(layer)) continue;
      this.store.dropLayer(layer);
      this.#generation++;
      delete this.#layerFrames[layer];
    }
    this.#layersOn = layersOn;
    this.refresh();
  }

  select(ref: string | undefined): void {
    if (ref === this.#selectedRef) return;
    this.#selectedRef = ref;
    this.#lastSelected = undefined;
    this.refresh();
  }

  /** The selected track's last received position, also after it was removed from the picture. */
  selected(): { position: Position; expiresAtMs: number; gone: boolean } | undefined {
    const slot = this.#selectedSlot();
    if (slot !== undefined) {
      const expiresAtMs = this.tracks.columns.expiresAtMs[slot] as number;
      this.#lastSelected = { position: this.tracks.positionAt(slot), expiresAtMs };
    }
    // Of the past only what was known at the moment is shown: nothing of what was looked at after it.
    else if (this.#past) this.#lastSelected = undefined;
    return this.#lastSelected && { ...this.#lastSelected, gone: slot === undefined };
  }

  /** Lets everything age to now. Called each second, and after every change. */
  refresh(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs !== undefined) this.store.sweep(nowMs, this.#frame?.covered);
    this.#draw();
    this.#summary = this.#summarise();
    this.#summarisedMs = this.#monotonicMs();
    this.#tell();
  }

  #draw(): void {
    const shownMs = this.#past?.atMs ?? this.#clock.nowMs();
    if (shownMs === undefined) return;
    this.selected();
    const { columns } = this.tracks;
    if (this.#picture.capacity < columns.end) this.#picture = makePicture(columns.capacity);
    this.#counts = drawPicture(columns, shownMs, this.#selectedSlot(), this.#picture);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #selectedSlot(): number | undefined {
    return this.#selectedRef === undefined ? undefined : this.tracks.slotOf(this.#selectedRef);
  }

  #summarise(): LiveSummary {
    const past = this.#past;
    return {
      nowMs: this.#clock.nowMs(),
      shownMs: past?.atMs ?? this.#clock.nowMs(),
      isPast: past !== undefined,
      connection: this.#connection,
      layers: { rid: this.#statusOf('rid'), adsb: this.#statusOf('adsb') },
      asked: past ? past.area : this.#frame?.asked,
      covered: past ? splitAtAntimeridian(past.area) : (this.#frame?.covered ?? []),
      capped: past ? this.#isCutTo(past.area) : this.#isCapped(),
      drawn: this.#picture.count,
      selectedRef: this.#selectedRef,
    };
  }

  #isCapped(): boolean {
    if (!this.#frame?.capped) return false;
    const watched = joinAtAntimeridian(this.#frame.covered);
    return !watched || this.#isCutTo(watched);
  }

  /** Whether the map shows places outside of the area. */
  #isCutTo(area: Bbox): boolean {
    return !(this.#visible && bboxCovers(area, this.#visible));
  }

  #statusOf(layer: Layer): LayerStatus {
    const frame = this.#layerFrames[layer];
    return {
      layer,
      on: this.#layersOn.has(layer),
      state: frame?.state,
      reason: frame?.reason,
      fetchedAtMs: frame?.fetchedAtMs,
      failingSinceMs: frame?.failingSinceMs,
      untilMs: frame?.untilMs,
      partial: frame?.partial ?? false,
      unreadable: frame?.unreadable ?? 0,
      counts: layer === 'rid' ? this.#counts.drone : this.#counts.aircraft,
    };
  }
}

/** Answers may overtake each other: an older one knows nothing that the newer one did not. */
function isOvertaken(frame: LiveFrame, latest: LiveFrame): boolean {
  return frame.asOfMs < latest.asOfMs && latest.asOfMs - frame.asOfMs < UNDER_WAY_MOST_MS;
}
