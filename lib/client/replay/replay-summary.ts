import type { MINUTE_LETTERS, MinuteLetter } from '#lib/api/history-line.ts';
import type { FailureReason, ReplayReason } from '#lib/api/layer-reason.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Playback } from './playback.ts';

/**
 * How much is known of a minute of a layer: everything the service has; a part of it (`truncated`: the rest cannot be had);
 * being loaded; failed, so that it may be tried again; or not asked for.
 */
export type MinuteState = (typeof MINUTE_LETTERS)[MinuteLetter];

/** Where and when something is missing, and why. Half-open. */
export interface ReplayGap {
  readonly bbox: Bbox;
  readonly start: UpstreamInstant;
  readonly end: UpstreamInstant;
  readonly reason: ReplayReason;
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

/** What a load costs, in requests to the upstream. */
export interface ReplayPrice {
  /** An estimate; 0 where everything is cached. */
  readonly expected: number;
  /** False where nothing is known of how much was received there: then it takes `expected` at least. */
  readonly known: boolean;
  readonly maxRequests: number;
}

/** The price of a window before it is loaded, of all that was asked. */
export interface ReplayQuote extends ReplayPrice {
  /** What is loaded, unless in tiles; `undefined` where that is what was asked. */
  readonly area: Bbox | undefined;
  /** What may be loaded of an area that is wider than one request may be; `undefined` where it is not. */
  readonly wide: { readonly middle: ReplayPrice; readonly tiles: number } | undefined;
}

/** How a wide area is loaded; `undefined` where it is not wide. */
export type WideChoice = 'middle' | 'tiles' | undefined;

/** What the operator accepted. */
export interface LoadTerms extends Pick<ReplayPrice, 'maxRequests'>, Pick<ReplayQuote, 'area'> {
  readonly choice: WideChoice;
}

export type ReplayLoading =
  /** Asking for a quote. */
  | { readonly kind: 'quoting' }
  /** Waiting for the operator to accept it. */
  | { readonly kind: 'quoted'; readonly quote: ReplayQuote }
  | { readonly kind: 'loading'; readonly terms: LoadTerms }
  /** Loading waits until then: the account's allowance, or the service, wants it so. */
  | {
      readonly kind: 'paused';
      readonly terms: LoadTerms;
      readonly reason: FailureReason;
      readonly until: UpstreamInstant | undefined;
    }
  | { readonly kind: 'done'; readonly terms: LoadTerms }
  /** Nothing can be loaded: the window lies outside of what may be asked, or Lookout's server does not answer. */
  | { readonly kind: 'refused'; readonly message: string; readonly signIn: boolean };

/** What the replay bar shows; a new object whenever something in it changed. */
export interface ReplaySummary {
  readonly playback: Playback;
  /** It plays, and stands still, since what comes next is not there yet. */
  readonly isWaiting: boolean;
  readonly loading: ReplayLoading;
  /** The area that is replayed. */
  readonly area: Bbox;
  /** The same objects for as long as only the cursor moves. */
  readonly layers: Readonly<Record<Layer, ReplayLayer>>;
}
