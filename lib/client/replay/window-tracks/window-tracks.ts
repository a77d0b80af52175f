import type { TrackKind } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/** Values of a range of positions; `undefined`: no position reported one. */
export interface Extent {
  readonly lowest: number;
  readonly highest: number;
}

export interface Approach {
  readonly ref: string;
  readonly distanceM: number;
  readonly at: UpstreamInstant;
}

/** A track with at least one received position in the window that the filter shows. Values are of those positions. */
export interface WindowTrack {
  readonly ref: string;
  readonly kind: TrackKind;
  readonly simulated: boolean;
  readonly testBroadcast: boolean;
  readonly positions: number;
  readonly first: UpstreamInstant;
  readonly last: UpstreamInstant;
  readonly heightAglM: Extent | undefined;
  readonly altitudeM: Extent | undefined;
  /** To the marked place; `undefined` without one. */
  readonly nearest: Approach | undefined;
}

/**
 * A track without a received position inside the area, and with two successive ones between which the straight line touches it. Where it was in
 * between is not known.
 */
export interface PossibleCrossing {
  readonly ref: string;
  readonly kind: TrackKind;
  readonly simulated: boolean;
  readonly testBroadcast: boolean;
  /** The time of the position before, and of the one after. */
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
}

export interface KindInWindow {
  readonly received: number;
  readonly tracks: readonly WindowTrack[];
  readonly crossings: readonly PossibleCrossing[];
  readonly nearestOutside: Approach | undefined;
  /** Positions that the filter shows over time, in the bins of the store, from the start of the window. */
  readonly histogram: Uint32Array;
}

export type WindowTracks = Readonly<Record<TrackKind, KindInWindow>>;
