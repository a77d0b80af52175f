import type { TrackKind } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/** `undefined`: no position reported a value. */
export interface Extent {
  readonly lowest: number;
  readonly highest: number;
}

export interface Approach {
  readonly ref: string;
  readonly distanceM: number;
  readonly at: UpstreamInstant;
}

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
  /** The approach to the marked place; `undefined` without one. */
  readonly nearest: Approach | undefined;
}

/** The straight line between two successive positions touches the area; none is inside. */
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
  readonly histogram: Uint32Array;
}

export type WindowTracks = Readonly<Record<TrackKind, KindInWindow>>;
