import 'server-only';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/**
 * What a request is for, and so how deep into the account's allowance it may dig:
 * - `sweep`: an area that is looked at is refreshed; paced, and leaves a reserve of minute and day alone
 * - `arrival`: somebody looks at a place that no snapshot covers; may take half of that reserve
 * - `history`: leaves all of the reserve, and takes at most its share of the day
 */
export type Spending = 'scheduled' | 'first-view' | 'history';

/** Leave to make that many requests. */
export interface Reservation {
  readonly id: number;
  readonly spending: Spending;
  /** At least 1; fewer than were asked for where what is left is not known and one request has to find out. */
  readonly requests: number;
}

/** Nothing may be sent. */
export type Refused = { readonly kind: 'refused' } /** Until then: the upstream told us to wait. */ & (
  | { readonly why: 'paused'; readonly until: UpstreamInstant }
  /** `until` is `undefined` where what is left is reserved for requests that are under way. */
  | { readonly why: 'minute' | 'day' | 'share'; readonly until: UpstreamInstant | undefined }
  /** One request is finding out what is left. */
  | { readonly why: 'probing'; readonly until: undefined }
);

export type Reserved = { readonly kind: 'granted'; readonly grant: Reservation } | Refused;

/** How one attempt ended, as far as the allowance is concerned. */
export interface Attempt {
  /** False only where the contract says that nothing was consumed (Quota rules, 3: 401 and 403). */
  readonly counted: boolean;
  /** `undefined` where the answer did not say. */
  readonly minuteRemaining: number | undefined;
  readonly dayRemaining: number | undefined;
  readonly sentAt: UpstreamInstant;
  readonly receivedAt: UpstreamInstant;
}

/** One allowance, as far as it is known. */
export interface AllowanceWindow {
  /** As the headers said, less every attempt since; `undefined` where nothing is known of this window. */
  readonly remaining: number | undefined;
  /** Granted and not yet attempted. */
  readonly reserved: number;
  /** The most that was ever seen remaining at the start of a window: the size of the allowance as far as we know. */
  readonly size: number | undefined;
  readonly resetsAt: UpstreamInstant;
}

export interface LedgerState {
  readonly minute: AllowanceWindow;
  readonly day: AllowanceWindow;
  /** Attempts of ours since midnight UTC that counted, crashes included. */
  readonly spentToday: number;
  readonly spentOnHistoryToday: number;
  readonly pausedUntil: UpstreamInstant | undefined;
}

/**
 * The account's two allowances, shared by everything that asks the upstream. What was granted and never settled (a crash)
 * counts as spent.
 */
export interface Ledger {
  /** Atomic: of two callers that ask for the last request, one is refused. */
  reserve(requests: number, spending: Spending, now: UpstreamInstant): Promise<Reserved>;
  /** One request of the grant was attempted. */
  attempted(grant: Reservation, attempt: Attempt): Promise<void>;
  /** The grant is over; what it did not attempt is given back. */
  release(grant: Reservation): Promise<void>;
  /** Nothing is granted until then; never shortened by a later, laxer call. */
  pauseUntil(until: UpstreamInstant): Promise<void>;
  state(now: UpstreamInstant): Promise<LedgerState>;
}
