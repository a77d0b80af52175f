import { NO_FILTER, type TrackFilter } from '#lib/filter/track-filter.ts';
import { type Bbox, bboxCovers, formatBbox, joinAtAntimeridian, splitAtAntimeridian } from '#lib/geo/bbox.ts';
import type { MapTheme } from '#lib/model/altitude-colour.ts';
import type { Colouring } from '#lib/model/mark-colour.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { isSameSelection, NOTHING_SELECTED, type Selection, selectionOf } from '#lib/model/selection.ts';
import { drawnOf, drawPicture, emptyCounts, type PictureCounts } from '#lib/picture/draw-picture.ts';
import { makePicture, type Picture } from '#lib/picture/picture.ts';
import { NO_TRACKS, type PicturedTracks, type TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { type PossibleSuccessor, possiblySame } from '#lib/picture/possibly-same.ts';
import { slotFilter } from '#lib/picture/slot-filter.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { nextTask } from '../browser/page-timers.ts';
import type { LiveFeed } from '../live/live-feed.ts';
import { ChangeListeners } from '../value-store.ts';
import type { DisplaySummary, FilterSummary, LayerStatus, SelectedTrack } from './display-summary.ts';

/** Panels are updated less often than the map, which a replay updates in every frame. */
const PAST_SUMMARY_EVERY_MS = 200;

interface PastTracks extends PicturedTracks {
  /** @param atMs epoch milliseconds */
  seek(atMs: number): void;
}

export interface PastMoment {
  readonly tracks: PastTracks;
  readonly at: UpstreamInstant;
  /** The loaded area; nothing is known outside it. */
  readonly area: Bbox;
}

/**
 * The picture on screen: live, or a moment of a replay, filtered, coloured and with its selection. React reads the
 * immutable summary and list of tracks, and positions never go through React state.
 */
export class Display {
  readonly #feed: LiveFeed;
  readonly #monotonicMs: () => number;
  readonly #listeners = new ChangeListeners();
  readonly #summaryListeners = new ChangeListeners();
  readonly #trackListeners = new ChangeListeners();
  #picture = makePicture(1024);
  #counts: PictureCounts = emptyCounts();
  #selection = NOTHING_SELECTED;
  #selected: ReadonlyMap<string, SelectedTrack> = new Map();
  #visible: Bbox | undefined;
  readonly #cappedPast = new CappedPast();
  #filter: TrackFilter = NO_FILTER;
  #isolated = false;
  #colouring: Colouring = 'altitude';
  #theme: MapTheme = 'dark';
  #past: PastMoment | undefined;
  #summary: DisplaySummary;
  #listed: TrackMoment = NO_TRACKS;
  #isNotifyDue = false;
  #summarisedMs = Number.NEGATIVE_INFINITY;

  constructor(feed: LiveFeed, monotonicMs: () => number) {
    this.#feed = feed;
    this.#monotonicMs = monotonicMs;
    this.#summary = this.#summarise();
    feed.subscribe(() => {
      this.#update();
      // An error of a listener is reported as uncaught.
      void this.#notifyLater();
    });
  }

  readonly subscribe = this.#listeners.subscribe;

  readonly summary = (): DisplaySummary => this.#summary;

  /** Listeners are called in a task of their own: map and texts together take longer than a frame. */
  readonly subscribeSummary = this.#summaryListeners.subscribe;

  /** Listeners are called in a task of their own. The list is only maintained while there are listeners. */
  readonly subscribeTracks = (listener: () => void): (() => void) => {
    const unsubscribe = this.#trackListeners.subscribe(listener);
    if (this.#trackListeners.size === 1) this.#list();
    return unsubscribe;
  };

  readonly listedTracks = (): TrackMoment => this.#listed;

  /** The columns are reused for the next picture. */
  picture(): Picture {
    return this.#picture;
  }

  get tracks(): PicturedTracks {
    return this.#past?.tracks ?? this.#feed.store;
  }

  possiblySame(ended: Position): PossibleSuccessor | undefined {
    return possiblySame(ended, this.tracks);
  }

  /** `undefined` shows the live picture. */
  showPast(moment: PastMoment | undefined): void {
    const playsOn = moment !== undefined && this.#past !== undefined;
    this.#past = moment;
    const isEarly = this.#monotonicMs() - this.#summarisedMs < PAST_SUMMARY_EVERY_MS;
    if (!playsOn || !isEarly) {
      this.refresh();
      return;
    }
    this.#draw();
    this.#listeners.notify();
    this.#summaryListeners.notify();
  }

  /** Positions are counted in it, and `capped` is only reported if some of it is not covered. */
  setVisible(visible: Bbox | undefined): void {
    this.#visible = visible;
    this.refresh();
  }

  setFilter(filter: TrackFilter): void {
    this.#filter = filter;
    this.refresh();
  }

  setIsolated(isolated: boolean): void {
    if (isolated === this.#isolated) return;
    this.#isolated = isolated;
    this.refresh();
  }

  setColouring(colouring: Colouring): void {
    if (colouring === this.#colouring) return;
    this.#colouring = colouring;
    this.refresh();
  }

  /** The map's: the colours of the picture follow it. */
  setTheme(theme: MapTheme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    this.refresh();
  }

  /** @param seen it, if it may have left the tracks since */
  select(ref: string | undefined, seen?: Omit<SelectedTrack, 'gone'>): void {
    if (ref !== undefined && seen) this.#selected = new Map([[ref, { ...seen, gone: true }]]);
    this.setSelection(ref === undefined ? NOTHING_SELECTED : selectionOf([ref]));
  }

  setSelection(selection: Selection): void {
    if (isSameSelection(selection, this.#selection)) return;
    this.#selection = selection;
    this.refresh();
  }

  /** The list of tracks follows in a later task. */
  refresh(): void {
    this.#update();
    this.#summaryListeners.notify();
    void this.#notifyLater();
  }

  #update(): void {
    this.#draw();
    this.#summary = this.#summarise();
    this.#summarisedMs = this.#monotonicMs();
    this.#listeners.notify();
  }

  async #notifyLater(): Promise<void> {
    if (this.#isNotifyDue) return;
    this.#isNotifyDue = true;
    await nextTask();
    this.#isNotifyDue = false;
    this.#summaryListeners.notify();
    await nextTask();
    this.#list();
  }

  #list(): void {
    const shownAt = this.#shownAt;
    if (this.#trackListeners.size === 0 || shownAt === undefined) return;
    this.#listed = this.tracks.momentAt(epochMs(shownAt));
    this.#trackListeners.notify();
  }

  get #shownAt(): UpstreamInstant | undefined {
    return this.#past?.at ?? this.#feed.now();
  }

  #draw(): void {
    const shownAt = this.#shownAt;
    if (shownAt === undefined) return;
    const shownMs = epochMs(shownAt);
    this.#past?.tracks.seek(shownMs);
    const { columns } = this.tracks;
    const selectedSlots = this.#followSelected();
    if (this.#picture.capacity < columns.end) this.#picture = makePicture(columns.capacity);
    const filter = slotFilter(this.#filter, this.tracks, shownMs, this.#visible);
    this.#counts = drawPicture(columns, shownMs, selectedSlots, this.#picture, {
      filter,
      isolated: this.#isolated,
      colouring: this.#colouring,
      counted: this.#visible,
      theme: this.#theme,
    });
  }

  #followSelected(): readonly number[] {
    const slots: number[] = [];
    const selected = new Map<string, SelectedTrack>();
    for (const ref of this.#selection.refs) {
      const slot = this.tracks.slotOf(ref);
      if (slot !== undefined) slots.push(slot);
      const track = this.#follow(slot, this.#selected.get(ref));
      if (track) selected.set(ref, track);
    }
    this.#selected = selected;
    return slots;
  }

  /** Live, a selected track is still reported after it was removed. */
  #follow(slot: number | undefined, before: SelectedTrack | undefined): SelectedTrack | undefined {
    const { tracks } = this;
    if (slot !== undefined) {
      return {
        position: tracks.positionAt(slot),
        expiresAt: upstreamInstant(tracks.columns.expiresAtMs[slot] as number),
        gone: false,
      };
    }
    // A replay shows only what was known at its cursor.
    return this.#past || !before ? undefined : { ...before, gone: true };
  }

  #summarise(): DisplaySummary {
    const past = this.#past;
    const { latest, connection } = this.#feed;
    return {
      now: this.#feed.now(),
      shownAt: this.#shownAt,
      isPast: past !== undefined,
      connection,
      layers: { rid: this.#statusOf('rid'), adsb: this.#statusOf('adsb') },
      requested: past ? past.area : latest?.requested,
      covered: past ? splitAtAntimeridian(past.area) : (latest?.covered ?? []),
      capped: past ? this.#cappedPast.isCapped(past.area, this.#visible) : this.#isCapped(),
      filtered: this.#summariseFilter(),
      emergencies: this.#counts.emergencies,
      selection: this.#selection,
      selectedTracks: this.#selected,
      selectedRef: this.#selection.primary,
      selected: this.#selection.primary === undefined ? undefined : this.#selected.get(this.#selection.primary),
    };
  }

  #summariseFilter(): FilterSummary {
    const { received, shown, unknown, hiddenEmergencies } = this.#counts;
    return {
      filter: this.#filter,
      shown: drawnOf(shown.aircraft) + drawnOf(shown.drone),
      received: drawnOf(received.aircraft) + drawnOf(received.drone),
      shownOf: { rid: shown.drone, adsb: shown.aircraft },
      unknown,
      hiddenEmergencies,
    };
  }

  #isCapped(): boolean {
    const { latest } = this.#feed;
    if (!latest?.capped) return false;
    const answered = joinAtAntimeridian(latest.covered);
    return !answered || this.#isCutTo(answered);
  }

  #isCutTo(area: Bbox): boolean {
    return !(this.#visible && bboxCovers(area, this.#visible));
  }

  #statusOf(layer: Layer): LayerStatus {
    const frame = this.#feed.layer(layer);
    return {
      layer,
      on: this.#feed.layersOn.has(layer),
      state: frame?.state,
      reason: frame?.reason,
      fetchedAt: frame?.fetchedAt,
      failingSince: frame?.failingSince,
      until: frame?.until,
      partial: frame?.partial ?? false,
      unreadable: frame?.unreadable ?? 0,
      reception: frame?.reception,
      counts: this.#counts.received[layer === 'rid' ? 'drone' : 'aircraft'],
    };
  }
}

/**
 * A notice about places that are not loaded shrinks the map, so it stays while only the map's height shrinks, to avoid
 * flicker.
 */
export class CappedPast {
  #cut: { readonly area: string; readonly visible: Bbox } | undefined;

  isCapped(area: Bbox, visible: Bbox | undefined): boolean {
    if (!visible || !bboxCovers(area, visible)) {
      this.#cut = visible && { area: formatBbox(area), visible };
      return true;
    }
    const cut = this.#cut;
    if (cut && cut.area === formatBbox(area) && isLower(visible, cut.visible)) return true;
    this.#cut = undefined;
    return false;
  }
}

/** The tolerance is below a pixel: a resized map recomputes its bounds with rounding errors. */
const SAME_DEG = 1e-6;

function isLower(one: Bbox, other: Bbox): boolean {
  const isAsWide = Math.abs(one.west - other.west) < SAME_DEG && Math.abs(one.east - other.east) < SAME_DEG;
  const isWithin = one.south > other.south - SAME_DEG && one.north < other.north + SAME_DEG;
  return isAsWide && isWithin && one.north - one.south < other.north - other.south - SAME_DEG;
}
