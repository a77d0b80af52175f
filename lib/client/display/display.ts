import { type Bbox, bboxCovers } from '#lib/geo/bbox.ts';
import { joinAtAntimeridian } from '#lib/geo/join-at-antimeridian.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import type { Layer } from '#lib/model/position.ts';
import { drawPicture, emptyCounts, type PictureCounts } from '#lib/picture/draw-picture.ts';
import { makePicture, type Picture } from '#lib/picture/picture.ts';
import { NO_TRACKS, type PicturedTracks, type TrackMoment } from '#lib/picture/pictured-tracks.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import type { LiveFeed } from '../live/live-feed.ts';
import type { DisplaySummary, LayerStatus, SelectedTrack } from './display-summary.ts';

type Listener = () => void;

/** While a replay plays the map follows every frame; words, counts and lists need not. */
const PAST_SUMMARY_EVERY_MS = 200;

/** Tracks that can be shown as they were at any moment of a window. */
interface PastTracks extends PicturedTracks {
  /** @param atMs milliseconds since 1970, UTC */
  seek(atMs: number): void;
}

/** A moment of the past that is shown in place of now. */
export interface PastMoment {
  readonly tracks: PastTracks;
  readonly at: UpstreamInstant;
  /** What was loaded; nothing is known of what lies outside. */
  readonly area: Bbox;
}

/**
 * What one page shows: now, or a moment of the past. The map reads the picture, which changes in place; React reads the summary
 * and the list of tracks, each of one moment for good. Positions never go through React state.
 */
export class Display {
  readonly #feed: LiveFeed;
  readonly #monotonicMs: () => number;
  readonly #listeners = new Set<Listener>();
  readonly #trackListeners = new Set<Listener>();
  #picture = makePicture(1024);
  #counts: PictureCounts = emptyCounts();
  #selectedRef: string | undefined;
  #selected: SelectedTrack | undefined;
  #visible: Bbox | undefined;
  #past: PastMoment | undefined;
  #summary: DisplaySummary;
  #listed: TrackMoment = NO_TRACKS;
  #summarisedMs = Number.NEGATIVE_INFINITY;

  constructor(feed: LiveFeed, monotonicMs: () => number) {
    this.#feed = feed;
    this.#monotonicMs = monotonicMs;
    this.#summary = this.#summarise();
    feed.subscribe(() => this.refresh());
  }

  /** Called after every change of picture or summary. Returns how to stop. */
  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly summary = (): DisplaySummary => this.#summary;

  /** Called after every change of the list of tracks, which is kept for as long as somebody listens. Returns how to stop. */
  readonly subscribeTracks = (listener: Listener): (() => void) => {
    this.#trackListeners.add(listener);
    if (this.#trackListeners.size === 1) this.refresh();
    return () => this.#trackListeners.delete(listener);
  };

  /** The tracks at the summary's moment. */
  readonly listedTracks = (): TrackMoment => this.#listed;

  /** The marks as they are drawn; its columns are reused, so copy what is kept. */
  picture(): Picture {
    return this.#picture;
  }

  /** The tracks that the picture was drawn from. They change in place, together with it. */
  get tracks(): PicturedTracks {
    return this.#past?.tracks ?? this.#feed.store;
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
    this.#draw();
    for (const listener of this.#listeners) listener();
  }

  /** What the map shows: where all of it is watched, nothing needs to be said of the rest that was asked around it. */
  setVisible(visible: Bbox | undefined): void {
    this.#visible = visible;
    this.refresh();
  }

  select(ref: string | undefined): void {
    if (ref === this.#selectedRef) return;
    this.#selectedRef = ref;
    this.#selected = undefined;
    this.refresh();
  }

  /** Shows what is known at the moment that is shown, whatever was shown before. */
  refresh(): void {
    this.#draw();
    this.#summary = this.#summarise();
    this.#summarisedMs = this.#monotonicMs();
    const { shownAt } = this.#summary;
    const isListed = this.#trackListeners.size > 0 && shownAt !== undefined;
    if (isListed) this.#listed = this.tracks.momentAt(epochMs(shownAt));
    for (const listener of this.#listeners) listener();
    if (isListed) for (const listener of this.#trackListeners) listener();
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
    const slot = this.#selectedRef === undefined ? undefined : this.tracks.slotOf(this.#selectedRef);
    this.#selected = this.#follow(slot);
    if (this.#picture.capacity < columns.end) this.#picture = makePicture(columns.capacity);
    this.#counts = drawPicture(columns, shownMs, slot, this.#picture);
  }

  /** A selected track is kept after it was removed. */
  #follow(slot: number | undefined): SelectedTrack | undefined {
    const { tracks } = this;
    if (slot !== undefined) {
      return {
        position: tracks.positionAt(slot),
        expiresAt: upstreamInstant(tracks.columns.expiresAtMs[slot] as number),
        gone: false,
      };
    }
    // Of the past only what was known at the moment is shown: nothing of what was looked at after it.
    return this.#past || !this.#selected ? undefined : { ...this.#selected, gone: true };
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
      asked: past ? past.area : latest?.asked,
      covered: past ? splitAtAntimeridian(past.area) : (latest?.covered ?? []),
      capped: past ? this.#isCutTo(past.area) : this.#isCapped(),
      drawn: this.#picture.count,
      selectedRef: this.#selectedRef,
      selected: this.#selected,
    };
  }

  #isCapped(): boolean {
    const { latest } = this.#feed;
    if (!latest?.capped) return false;
    const watched = joinAtAntimeridian(latest.covered);
    return !watched || this.#isCutTo(watched);
  }

  /** Whether the map shows places outside of the area. */
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
      counts: layer === 'rid' ? this.#counts.drone : this.#counts.aircraft,
    };
  }
}
