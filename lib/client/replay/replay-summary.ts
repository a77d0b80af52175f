import type { MINUTE_LETTERS, MinuteLetter } from '#lib/api/history-line.ts';
import type { FailureReason, ReplayReason } from '#lib/api/layer-reason.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { FailureRemedy } from '../request/refusal-message.ts';
import type { Playback } from './playback.ts';

/** `truncated`: a part, and the rest is unavailable. A failed minute can be retried. */
export type MinuteState = (typeof MINUTE_LETTERS)[MinuteLetter];

/** A part of a replay that is missing, from `start` up to and without `end`. */
export interface ReplayGap {
  readonly bbox: Bbox;
  readonly start: UpstreamInstant;
  readonly end: UpstreamInstant;
  readonly reason: ReplayReason;
}

export interface ReplayLayer {
  readonly layer: Layer;
  readonly on: boolean;
  /** How long a position is shown after its observation, current and then expired. */
  readonly shownForMs: number;
  /** The states of minutes from the window's start; the last minute may be shorter. */
  readonly minutes: readonly MinuteState[];
  readonly leadIn: readonly MinuteState[];
  /** Observations in bins of equal length. */
  readonly histogram: Uint32Array;
  readonly observations: number;
  readonly unreadable: number;
  readonly partsDone: number;
  readonly partsKnown: number;
  readonly requestsMade: number;
  readonly requestsExpected: number;
  readonly gaps: readonly ReplayGap[];
  /** Times without some or all receivers, known at the end of a load. Nothing more can be loaded for them. */
  readonly reception: readonly ReplayGap[];
}

export interface ReplayPrice {
  /** An estimate; 0 if everything is cached. */
  readonly expected: number;
  /** False if nothing is known about the traffic there: `expected` is then a minimum. */
  readonly known: boolean;
  readonly maxRequests: number;
}

export interface ReplayQuote extends ReplayPrice {
  /** The area loaded, unless in tiles; `undefined` if it is the requested one. */
  readonly area: Bbox | undefined;
  /** `undefined` unless the area is wider than one request allows. */
  readonly wide: { readonly middle: ReplayPrice; readonly tiles: number } | undefined;
}

/** `undefined` if the area is not wide. */
export type WideChoice = 'middle' | 'tiles' | undefined;

export interface LoadTerms extends Pick<ReplayPrice, 'maxRequests'>, Pick<ReplayQuote, 'area'> {
  readonly choice: WideChoice;
}

export type AskReason =
  | 'always'
  | 'price'
  /** More than the share of the allowance that is taken without asking. */
  | 'allowance'
  | 'allowance-unknown'
  | 'wide';

export type ReplayLoading =
  | { readonly kind: 'quoting' }
  | { readonly kind: 'quoted'; readonly quote: ReplayQuote; readonly asks: AskReason }
  | AcceptedLoad
  /** The window is outside the account's history, or Lookout's server does not answer. */
  | { readonly kind: 'refused'; readonly message: string; readonly remedy: FailureRemedy };

/** A load whose price the operator, or the operator's settings, accepted. */
type AcceptedLoad =
  /** The load waits behind others of this operator; `rank` 1 is next. */
  | { readonly kind: 'queued'; readonly terms: LoadTerms; readonly rank: number; readonly running: number }
  | { readonly kind: 'loading'; readonly terms: LoadTerms }
  /** Paused until then, because of the account's allowance or the service. */
  | {
      readonly kind: 'paused';
      readonly terms: LoadTerms;
      readonly reason: FailureReason;
      readonly until: UpstreamInstant | undefined;
    }
  | { readonly kind: 'done'; readonly terms: LoadTerms };

export function termsOfLoad(loading: ReplayLoading): LoadTerms | undefined {
  switch (loading.kind) {
    case 'quoting':
    case 'quoted':
    case 'refused':
      return undefined;
    case 'queued':
    case 'loading':
    case 'paused':
    case 'done':
      return loading.terms;
  }
}

/** The state of a replay for panels: a new object after every change. */
export interface ReplaySummary {
  readonly playback: Playback;
  readonly isWaiting: boolean;
  readonly loading: ReplayLoading;
  readonly area: Bbox;
  /** Keeps its identity while only the cursor moves. */
  readonly layers: Readonly<Record<Layer, ReplayLayer>>;
}
