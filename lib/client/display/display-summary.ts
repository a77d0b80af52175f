import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { LayerState } from '#lib/api/layer-state.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { LayerCounts } from '#lib/picture/draw-picture.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Connection } from '../live/live-feed.ts';

/** What is known of one layer, as of the latest answer. */
export interface LayerStatus {
  readonly layer: Layer;
  /** False where the operator switched the layer off: it is not asked for. */
  readonly on: boolean;
  /** `undefined` before the first answer that names the layer. */
  readonly state: LayerState | undefined;
  readonly reason: LiveReason | undefined;
  readonly fetchedAt: UpstreamInstant | undefined;
  readonly failingSince: UpstreamInstant | undefined;
  readonly until: UpstreamInstant | undefined;
  readonly partial: boolean;
  readonly unreadable: number;
  readonly counts: LayerCounts;
}

/** The selected track's last received position. */
export interface SelectedTrack {
  readonly position: Position;
  readonly expiresAt: UpstreamInstant;
  /** True after it was removed from the picture. */
  readonly gone: boolean;
}

/** What bar and panels show, all of one moment; a new object whenever something in it changed, at least once a second. */
export interface DisplaySummary {
  /** Now, whatever is shown; `undefined` before the first answer. */
  readonly now: UpstreamInstant | undefined;
  /** The moment that is shown: now, or a past one. */
  readonly shownAt: UpstreamInstant | undefined;
  /** True where a past moment is shown; the layers' states are still those of now. */
  readonly isPast: boolean;
  readonly connection: Connection;
  readonly layers: Readonly<Record<Layer, LayerStatus>>;
  /** The viewport as last asked; `covered` is what is watched of it. */
  readonly asked: Bbox | undefined;
  readonly covered: readonly Bbox[];
  /** True where the map shows places that are not watched: only `covered` is. */
  readonly capped: boolean;
  /** Marks now drawn, coasted ones included. */
  readonly drawn: number;
  /** Reference of the selected track, also after the track itself is gone. */
  readonly selectedRef: string | undefined;
  /** `undefined` before anything was received of it, and in the past where nothing was known of it at the moment. */
  readonly selected: SelectedTrack | undefined;
}
