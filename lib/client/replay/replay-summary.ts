import type { MINUTE_LETTERS, MinuteLetter } from '#lib/api/history-line.ts';
import type { FailureReason, ReplayReason } from '#lib/api/layer-reason.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { Playback } from './playback.ts';

/**
 * How much of a layer's minute is loaded. `truncated`: a part, and the rest is unavailable. A failed minute can be retried.
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
  /** False if the operator switched it off: it is not loaded. */
  readonly on: boolean;
  /** How long a position of the layer is shown after its observation, current and then expired. */
  readonly shownForMs: number;
  /** One per minute of the window, the first one beginning at its start; the last one may be shorter. */
  readonly minutes: readonly MinuteState[];
  readonly leadIn: readonly MinuteState[];
  /** Number of observations over time, in bins of equal length. */
  readonly histogram: Uint32Array;
  /** Number of observations in the window so far, without the lead-in. */
  readonly observations: number;
  /** Number of records that violated the contract and were dropped. */
  readonly unreadable: number;
  readonly partsDone: number;
  readonly partsKnown: number;
  readonly requestsMade: number;
  readonly requestsExpected: number;
  readonly gaps: readonly ReplayGap[];
}

/** The price of a load, in requests to the upstream. */
export interface ReplayPrice {
  /** An estimate; 0 if everything is cached. */
  readonly expected: number;
  /** False if nothing is known about the traffic there: `expected` is then a minimum. */
  readonly known: boolean;
  readonly maxRequests: number;
}

export interface ReplayQuote extends ReplayPrice {
  /** The area that would be loaded, unless in tiles; `undefined` if it is the requested one. */
  readonly area: Bbox | undefined;
  /** The choices for an area that is wider than one request allows; `undefined` if it is not. */
  readonly wide: { readonly middle: ReplayPrice; readonly tiles: number } | undefined;
}

/** How a wide area is loaded; `undefined` if it is not wide. */
export type WideChoice = 'middle' | 'tiles' | undefined;

/** The terms that the operator accepted. */
export interface LoadTerms extends Pick<ReplayPrice, 'maxRequests'>, Pick<ReplayQuote, 'area'> {
  readonly choice: WideChoice;
}

/** Why a replay waits for an operator's consent before it loads. */
export type AskReason =
  /** As the operator chose, or as the load was begun. */
  | 'always'
  /** More requests than the operator's limit. */
  | 'price'
  /** A larger part of what is left of the allowance than is taken without asking. */
  | 'allowance'
  | 'allowance-unknown'
  /** The area can be loaded in more than one way. */
  | 'wide';

export type ReplayLoading =
  /** Requesting a quote. */
  | { readonly kind: 'quoting' }
  /** Waiting for the operator to accept it. */
  | { readonly kind: 'quoted'; readonly quote: ReplayQuote; readonly asks: AskReason }
  /** Behind other loads of the same operator, of which `running` are running. `rank` is 1 for the next one. */
  | { readonly kind: 'queued'; readonly terms: LoadTerms; readonly rank: number; readonly running: number }
  | { readonly kind: 'loading'; readonly terms: LoadTerms }
  /** Paused until then, because of the account's allowance or the service. */
  | {
      readonly kind: 'paused';
      readonly terms: LoadTerms;
      readonly reason: FailureReason;
      readonly until: UpstreamInstant | undefined;
    }
  | { readonly kind: 'done'; readonly terms: LoadTerms }
  /** Loading is impossible: the window is outside the account's history, or Lookout's server does not answer. */
  | { readonly kind: 'refused'; readonly message: string; readonly signIn: boolean };

/** The data of the replay bar; a new object after every change. */
export interface ReplaySummary {
  readonly playback: Playback;
  /** It is playing but stalled, because what follows is not loaded yet. */
  readonly isWaiting: boolean;
  readonly loading: ReplayLoading;
  readonly area: Bbox;
  /** Keeps its identity while only the cursor moves. */
  readonly layers: Readonly<Record<Layer, ReplayLayer>>;
}
