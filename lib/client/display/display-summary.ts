import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { LayerState } from '#lib/api/layer-state.ts';
import type { TrackFilter, Unknowable } from '#lib/filter/track-filter.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { Selection } from '#lib/model/selection.ts';
import type { LayerCounts } from '#lib/picture/draw-picture.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { ServerConnection } from '../live/live-feed.ts';

export interface LayerStatus {
  readonly layer: Layer;
  /** False if the operator switched the layer off: it is not requested. */
  readonly on: boolean;
  /** `undefined` before the first answer that includes the layer. */
  readonly state: LayerState | undefined;
  readonly reason: LiveReason | undefined;
  readonly fetchedAt: UpstreamInstant | undefined;
  readonly failingSince: UpstreamInstant | undefined;
  readonly until: UpstreamInstant | undefined;
  readonly partial: boolean;
  readonly unreadable: number;
  /** Received tracks, including those that the filter hides. */
  readonly counts: LayerCounts;
}

export interface SelectedTrack {
  readonly position: Position;
  readonly expiresAt: UpstreamInstant;
  /** True after the track was removed from the picture. */
  readonly gone: boolean;
}

export interface FilterSummary {
  readonly filter: TrackFilter;
  /** Marks, including expired ones. */
  readonly shown: number;
  /** Positions, including expired ones, whether they are shown or not. */
  readonly received: number;
  readonly shownOf: Readonly<Record<Layer, LayerCounts>>;
  /** Positions that meet all other criteria, but of which this value was not reported. */
  readonly unknown: Readonly<Record<Unknowable, number>>;
  readonly hiddenEmergencies: number;
}

/** The data of bar and panels, all of the same instant. A new object after every change, at least once a second. */
export interface DisplaySummary {
  /** The current time, also during a replay; `undefined` before the first answer. */
  readonly now: UpstreamInstant | undefined;
  /** The time that is shown: now, or a replay's cursor. */
  readonly shownAt: UpstreamInstant | undefined;
  /** True during a replay; the layers' states are still the live ones. */
  readonly isPast: boolean;
  readonly connection: ServerConnection;
  readonly layers: Readonly<Record<Layer, LayerStatus>>;
  /** The last requested viewport; `covered` is the part of it that is answered. */
  readonly requested: Bbox | undefined;
  readonly covered: readonly Bbox[];
  /** True if the map shows places outside `covered`. */
  readonly capped: boolean;
  readonly filtered: FilterSummary;
  readonly emergencies: LayerCounts;
  /** Also of tracks that were removed. The same object until it changes. */
  readonly selection: Selection;
  readonly selectedTracks: ReadonlyMap<string, SelectedTrack>;
  readonly selectedRef: string | undefined;
  /** The primary one; `undefined` before anything was received of it and, in a replay, if it is not shown at the cursor. */
  readonly selected: SelectedTrack | undefined;
}
