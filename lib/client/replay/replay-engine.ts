import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { EndLine, ProgressLine } from '#lib/api/history-line.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { joinAtAntimeridian } from '#lib/geo/join-at-antimeridian.ts';
import { KIND_OF_LAYER } from '#lib/model/layer-kind.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { type Instant, instantFromMs, parseInstant } from '#lib/time/instant.ts';
import type { Window } from '#lib/time/window.ts';
import { boxFromCorners } from '../frame-from-head.ts';
import { SignedOutError } from '../signed-out-error.ts';
import type { ObservationColumns } from './observation-columns.ts';
import { isWaiting, LIVE, type Playback, type PlaybackCommand, playbackAfter } from './playback.ts';
import { readyUntil } from './ready-until.ts';
import { ReplayCursor } from './replay-cursor.ts';
import { queryOf, type ReplayDoors, type ReplayOpening, type WideChoice } from './replay-opening.ts';
import {
  emptyProgress,
  type LayerLoadProgress,
  loadingFromLine,
  progressAtEnd,
  progressFromLine,
  progressStopped,
  withGaps,
} from './replay-progress.ts';
import { ReplayStore } from './replay-store.ts';
import type { ReplayGap, ReplayLayer, ReplayLoading, ReplaySummary } from './replay-summary.ts';
import { takeInSlices } from './take-in-slices.ts';
import { toldCost } from './told-cost.ts';

type Listener = () => void;

/**
 * The past of one page: what it costs, its loading, its store and where the cursor is. What it loads is told before, and no
 * more than that is asked for.
 */
export class ReplayEngine {
  readonly #doors: ReplayDoors;
  readonly #listeners = new Set<Listener>();
  #playback: Playback = LIVE;
  #opening: ReplayOpening | undefined;
  #store: ReplayStore | undefined;
  #cursor: ReplayCursor | undefined;
  #loading: ReplayLoading = { kind: 'asking' };
  #progress: Readonly<Record<Layer, LayerLoadProgress>> = emptyProgress();
  #choice: WideChoice;
  #most = 0;
  /** Counts questions and loads: what is heard of an earlier one is of no use. */
  #turn = 0;
  #cost: HistoryCost | undefined;
  #loadedArea: Bbox | undefined;
  #layers: ReplaySummary['layers'] | undefined;
  #summary: ReplaySummary | undefined;
  /** What came and could not be kept. */
  #noRoom: { readonly layer: Layer; readonly gap: ReplayGap }[] = [];
  /** Records of the load that broke the contract and were left out. */
  #unreadable: Record<Layer, number> = { rid: 0, adsb: 0 };
  /** Slices that are still to be taken over, in their order. */
  #taking: Promise<void> = Promise.resolve();

  constructor(doors: ReplayDoors) {
    this.#doors = doors;
  }

  /** Called after every change. Returns how to stop. */
  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** `undefined` while the page is live; the same object until something changes. */
  readonly summary = (): ReplaySummary | undefined => this.#summary;

  get playback(): Playback {
    return this.#playback;
  }

  /** What is known at the cursor; `undefined` while the page is live. */
  get cursor(): ReplayCursor | undefined {
    return this.#cursor;
  }

  get store(): ReplayStore | undefined {
    return this.#store;
  }

  /** What is replayed: as asked until it is known what is loaded of it. */
  get area(): Bbox | undefined {
    return this.#loadedArea ?? this.#opening?.area;
  }

  /** What was loaded of it; `undefined` before that. */
  get loadedArea(): Bbox | undefined {
    return this.#loadedArea;
  }

  /** Enters the past, paused, and asks what loading it costs. Where that is nothing, it is loaded at once. */
  async open(opening: ReplayOpening): Promise<void> {
    this.#doors.stop();
    const { window, cursor, speed, lifetimes, layers } = opening;
    this.#opening = opening;
    this.#store = new ReplayStore({ window });
    this.#cursor = new ReplayCursor(this.#store, lifetimes);
    this.#cursor.setShown(layers);
    this.#progress = emptyProgress();
    this.#noRoom = [];
    this.#loadedArea = undefined;
    this.#choice = undefined;
    this.#playback = playbackAfter(this.#playback, { do: 'enter', window, cursor, speed });
    await this.ask();
  }

  /** Asks what loading the rest of what was opened costs. Where that is nothing, it is loaded at once. */
  async ask(): Promise<void> {
    const opening = this.#opening;
    if (!opening) return;
    const turn = ++this.#turn;
    this.#doors.stop();
    if (opening.layers.size === 0) {
      this.#refuse(new Error('No layer is on: switch one on to load it.'));
      return;
    }
    this.#loading = { kind: 'asking' };
    this.#progress = progressStopped(this.#progress);
    this.#changed();
    let cost: HistoryCost;
    try {
      cost = await this.#doors.cost(queryOf(opening));
    } catch (error) {
      if (this.#opening && this.#turn === turn) this.#refuse(error);
      return;
    }
    if (!this.#opening || this.#turn !== turn) return;
    this.#cost = cost;
    this.#endAt(parseInstant(cost.end));
    this.#loading = { kind: 'told', cost: toldCost(cost) };
    if (!cost.wide && cost.middle.expected === 0) this.load(undefined);
    else this.#changed();
  }

  /** The operator's word: loads what was told. */
  load(choice: WideChoice): void {
    if (this.#loading.kind !== 'told') return;
    const { cost } = this.#loading;
    this.#choice = choice;
    this.#most = choice === 'middle' && cost.wide ? cost.wide.middle.most : cost.most;
    // Tiles cover all that was asked; anything else is loaded a little wider, or as its middle alone.
    const boxes = choice === 'tiles' ? [] : (this.#cost?.middle.boxes ?? []);
    this.#loadedArea = joinAtAntimeridian(boxes.map(boxFromCorners));
    this.#begin();
  }

  /** Loads what failed or was not asked for again; what is held already costs nothing. */
  retry(): void {
    if (this.#opening) this.#begin();
  }

  command(command: Exclude<PlaybackCommand, { do: 'enter' }>): void {
    const before = this.#playback;
    this.#playback = playbackAfter(before, command);
    if (this.#playback === before) return;
    if (this.#playback.mode === 'live') this.#leave();
    this.#moved();
  }

  /** Real time passed. */
  tick(passedMs: number): void {
    this.command({ do: 'tick', passedMs, readyUntil: this.#readyUntil() });
  }

  setLayers(layers: ReadonlySet<Layer>): void {
    if (!this.#opening) return;
    this.#opening = { ...this.#opening, layers };
    this.#cursor?.setShown(layers);
    const isMissing = (layer: Layer) => layers.has(layer) && this.#progress[layer].minutes.length === 0;
    // A price is that of the layers for which it was asked.
    const isPriced = ['asking', 'told', 'refused'].includes(this.#loading.kind);
    if (isPriced || LAYERS.some(isMissing)) void this.ask();
    else this.#changed();
  }

  part(layer: Layer, span: Window, records: ObservationColumns, unreadable: number): void {
    this.#unreadable[layer] += unreadable;
    const store = this.#store;
    if (store) this.#taking = this.#taking.then(() => this.#take(store, layer, span, records));
  }

  progress(line: ProgressLine): void {
    this.#progress = progressFromLine(this.#progress, line);
    this.#loading = loadingFromLine(line);
    this.#changed();
  }

  done(line: EndLine): void {
    const store = this.#store;
    const turn = this.#turn;
    // The last parts are still being taken over.
    void this.#taking.then(() => {
      if (this.#store !== store || this.#turn !== turn) return;
      this.#progress = progressAtEnd(this.#progress, line);
      this.#loading = { kind: 'done' };
      this.#changed();
    });
  }

  failed(why: { readonly kind: 'signed-out' } | { readonly kind: 'failed'; readonly message: string }): void {
    this.#refuse(why.kind === 'signed-out' ? new SignedOutError() : new Error(why.message));
  }

  #begin(): void {
    this.#turn++;
    this.#unreadable = { rid: 0, adsb: 0 };
    this.#loading = { kind: 'loading' };
    const query = queryOf(this.#opening as ReplayOpening);
    if (this.#choice !== undefined) query.set('wide', this.#choice);
    query.set('most', String(this.#most));
    this.#changed();
    this.#doors.load(query, this);
  }

  async #take(store: ReplayStore, layer: Layer, span: Window, records: ObservationColumns): Promise<void> {
    const isWanted = () => store === this.#store;
    const refused = await takeInSlices(store, records, { breathe: () => this.#doors.breathe(), isWanted });
    if (!isWanted()) return;
    if (refused > 0 && this.area) {
      this.#noRoom.push({ layer, gap: { bbox: this.area, ...span, reason: 'no_room' } });
    }
    this.#changed();
  }

  /** A window that reaches beyond now ends earlier than it was asked for: what lies after it has not happened. */
  #endAt(end: Instant | undefined): void {
    const { playback, opening } = { playback: this.#playback, opening: this.#opening };
    if (end === undefined || !opening || playback.mode === 'live' || end >= opening.window.end) return;
    const window = { start: opening.window.start, end };
    this.#opening = { ...opening, window };
    this.#store = new ReplayStore({ window });
    this.#cursor = new ReplayCursor(this.#store, opening.lifetimes);
    this.#cursor.setShown(opening.layers);
    this.#playback = { ...playback, window, cursor: playback.cursor < end ? playback.cursor : end };
  }

  #refuse(error: unknown): void {
    this.#progress = progressStopped(this.#progress);
    this.#loading =
      error instanceof SignedOutError
        ? { kind: 'refused', words: 'Signed out.', signIn: true }
        : { kind: 'refused', words: error instanceof Error ? error.message : String(error), signIn: false };
    this.#changed();
  }

  #leave(): void {
    this.#doors.stop();
    this.#opening = undefined;
    this.#store = undefined;
    this.#cursor = undefined;
    this.#choice = undefined;
    this.#loadedArea = undefined;
  }

  #readyUntil(): Instant {
    if (this.#playback.mode === 'live') return instantFromMs(0);
    return readyUntil(this.#playback, this.#opening?.layers ?? new Set(), this.#progress);
  }

  /** What is loaded, or how it stands, is another. */
  #changed(): void {
    this.#layers = { rid: this.#layer('rid'), adsb: this.#layer('adsb') };
    this.#moved();
  }

  /** Only the cursor, or how it moves, is another: called with every frame of a replay. */
  #moved(): void {
    const playback = this.#playback;
    if (playback.mode === 'replay' && this.#layers) {
      this.#cursor?.seek(playback.cursor);
      this.#summary = {
        playback,
        isWaiting: isWaiting(playback, this.#readyUntil()),
        loading: this.#loading,
        area: this.area,
        layers: this.#layers,
      };
    } else this.#summary = undefined;
    for (const listener of this.#listeners) listener();
  }

  #layer(layer: Layer): ReplayLayer {
    const histogram = this.#store?.histogram.counts[layer] ?? new Uint32Array(0);
    const noRoom = this.#noRoom.flatMap((refused) => (refused.layer === layer ? [refused.gap] : []));
    return {
      layer,
      on: this.#opening?.layers.has(layer) ?? false,
      shownForMs: this.#cursor?.shownForMs(KIND_OF_LAYER[layer]) ?? 0,
      histogram,
      unreadable: this.#unreadable[layer],
      observations: histogram.reduce((sum, count) => sum + count, 0),
      ...withGaps(this.#progress[layer], noRoom, this.#store?.window),
    };
  }
}
