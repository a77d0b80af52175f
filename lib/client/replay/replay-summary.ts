import type { LayerReason } from '#lib/api/layer-reason.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Instant } from '#lib/time/instant.ts';
import type { Replaying } from './playback.ts';

/**
 * How much is known of a minute of a layer: everything the service has; a part of it (`truncated`: the rest cannot be had);
 * being loaded; failed, so that it may be tried again; or not asked for.
 */
export type MinuteState = 'complete' | 'truncated' | 'loading' | 'failed' | 'not-asked';

/** Where and when something is missing, and why. Half-open. */
export interface ReplayGap {
  readonly bbox: Bbox;
  readonly start: Instant;
  readonly end: Instant;
  readonly reason: LayerReason;
}

export interface ReplayLayer {
  readonly layer: Layer;
  /** False where the operator switched it off: it is not loaded. */
  readonly on: boolean;
  /** How long after its observation a position of the layer is in the picture, current and then coasted. */
  readonly shownForMs: number;
  /** One for each minute of the window, the first one beginning at its start; the last one may be shorter. */
  readonly minutes: readonly MinuteState[];
  /** Observations by time, in bins of equal length over the window. */
  readonly histogram: Uint32Array;
  /** In the store so far. */
  readonly observations: number;
  /** That broke the contract and were left out. */
  readonly unreadable: number;
  readonly partsDone: number;
  readonly partsKnown: number;
  readonly requestsMade: number;
  /** Requests that are still to be made, as far as can be told. */
  readonly requestsExpected: number;
  readonly gaps: readonly ReplayGap[];
}

/** What loading a window would cost, before it is loaded. */
export interface ReplayCost {
  /** Requests to the upstream, as far as can be told; 0 where everything is held already. */
  readonly expected: number;
  /** False where nothing is known of how much was received there: then it takes `expected` at the least. */
  readonly known: boolean;
  /** No more than that are made. */
  readonly most: number;
  /** What may be loaded of an area that is wider than one request may be; `undefined` where it is not. */
  readonly wide:
    | { readonly middle: Pick<ReplayCost, 'expected' | 'known' | 'most'>; readonly tiles: number }
    | undefined;
}

export type ReplayLoading =
  /** Asking what it costs. */
  | { readonly kind: 'asking' }
  /** Told, and waiting for the operator's word. */
  | { readonly kind: 'told'; readonly cost: ReplayCost }
  | { readonly kind: 'loading' }
  /** Loading stands still until then: the account's allowance, or the service, wants it so. */
  | { readonly kind: 'held'; readonly reason: LayerReason; readonly until: Instant | undefined }
  | { readonly kind: 'done' }
  /** Nothing can be loaded: the window lies outside of what may be asked, or Lookout's server does not answer. */
  | { readonly kind: 'refused'; readonly words: string; readonly signIn: boolean };

/** What the replay bar shows; a new object whenever something in it changed. */
export interface ReplaySummary {
  readonly playback: Replaying;
  /** It plays, and stands still, since what comes next is not there yet. */
  readonly isWaiting: boolean;
  readonly loading: ReplayLoading;
  /** The area that is replayed. */
  readonly area: Bbox | undefined;
  /** The same objects for as long as only the cursor moves. */
  readonly layers: Readonly<Record<Layer, ReplayLayer>>;
}
