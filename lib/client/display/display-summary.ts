import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { LayerState } from '#lib/api/layer-state.ts';
import type { TrackFilter, Unknowable } from '#lib/filter/track-filter.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import type { Selection } from '#lib/model/selection.ts';
import type { LayerCounts } from '#lib/picture/draw-picture.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { ServerConnection } from '../live/live-feed.ts';

export interface LayerStatus {
  readonly layer: Layer;
  readonly on: boolean;
  /** `undefined` before the first answer that includes the layer. */
  readonly state: LayerState | undefined;
  readonly reason: LiveReason | undefined;
  readonly fetchedAt: UpstreamInstant | undefined;
  readonly failingSince: UpstreamInstant | undefined;
  readonly until: UpstreamInstant | undefined;
  readonly partial: boolean;
  readonly unreadable: number;
  /** `undefined` where the service does not report it. */
  readonly reception: Reception | undefined;
  /** In view, as the counts of the filter. */
  readonly counts: LayerCounts;
}

export interface SelectedTrack {
  readonly position: Position;
  readonly expiresAt: UpstreamInstant;
  readonly gone: boolean;
}

export interface FilterSummary {
  readonly filter: TrackFilter;
  /** Number of marks in view, including expired ones. */
  readonly shown: number;
  /** Positions in view, including expired and hidden ones. */
  readonly received: number;
  readonly shownOf: Readonly<Record<Layer, LayerCounts>>;
  /** Positions that meet all other criteria, without this value. */
  readonly unknown: Readonly<Record<Unknowable, number>>;
  /** Wherever they are, as `emergencies`. */
  readonly hiddenEmergencies: number;
}

/**
 * The picture in numbers and texts, all of the same instant: a new object after every change, at least once a second.
 */
export interface DisplaySummary {
  readonly now: UpstreamInstant | undefined;
  /** Now, or a replay's cursor; `undefined` before the first answer. */
  readonly shownAt: UpstreamInstant | undefined;
  /** True during a replay; the layers' states are still the live ones. */
  readonly isPast: boolean;
  readonly connection: ServerConnection;
  readonly layers: Readonly<Record<Layer, LayerStatus>>;
  /** The last requested viewport; `covered` is its answered part. */
  readonly requested: Bbox | undefined;
  readonly covered: readonly Bbox[];
  /** True if the map shows places outside `covered`. */
  readonly capped: boolean;
  readonly filtered: FilterSummary;
  readonly emergencies: LayerCounts;
  /** Includes removed tracks; the same object until it changes. */
  readonly selection: Selection;
  readonly selectedTracks: ReadonlyMap<string, SelectedTrack>;
  readonly selectedRef: string | undefined;
  /** `undefined` before anything was received of it, and if a replay's cursor shows none. */
  readonly selected: SelectedTrack | undefined;
}
