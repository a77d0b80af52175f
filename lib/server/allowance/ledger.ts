import 'server-only';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/**
 * The purpose of a request, which decides how much of the account's allowance it may use:
 * - `scheduled`: the paced refresh of an area that has viewers. Leaves the reserve of minute and day untouched.
 * - `first-view`: the first read of an area that no snapshot covers. May use half of that reserve.
 * - `history`: Leaves the whole reserve and live's need of the minute untouched, and uses at most its share of the day.
 */
export type Spending = 'scheduled' | 'first-view' | 'history';

/** Whose request of the past it is, and whether others share the allowance. */
export interface PastTerms {
  readonly operator: string;
  /** Whether other operators may still want a part of history's share of the day. */
  readonly hasOtherOperators: boolean;
  /** Requests per second that live refreshes are going to make. */
  readonly livePerS: number;
}

/** The right to make that many requests, of the handle of the ledger that granted it. */
export interface Reservation {
  readonly id: number;
  readonly spending: Spending;
  /** At least 1; fewer than requested where the allowance is unknown and one request has to probe it. */
  readonly requests: number;
}

/** No request may be sent. */
export type Refused = { readonly kind: 'refused' } /** Until then, as the upstream demanded. */ & (
  | { readonly why: 'paused'; readonly until: UpstreamInstant; readonly reason: PauseReason }
  /** `until` is `undefined` where the rest is reserved for requests in flight. A used-up day ends at `until`, or is checked then. */
  | { readonly why: 'minute' | 'day' | 'share'; readonly until: UpstreamInstant | undefined }
  /** The rest of history's share is for other operators; certain to end then, and sooner if they do not want it. */
  | { readonly why: 'operator'; readonly until: UpstreamInstant }
  /** Another request is probing the allowance. */
  | { readonly why: 'probing'; readonly until: undefined }
  /** The reservation could not be kept: after a crash the request would not have counted. */
  | { readonly why: 'storage' | 'database'; readonly until: undefined }
);

export type Reserved = { readonly kind: 'granted'; readonly reservation: Reservation } | Refused;

/** Why no request may be sent for a while. */
export type PauseReason = Extract<FailureReason, 'allowance_used_up' | 'service_busy' | 'service_unreachable'>;

/** A key that the upstream refused, by its hash. Until then it is not tried again. */
export interface RefusedKey {
  readonly id: string;
  readonly until: UpstreamInstant;
}

/** How one attempt ended, as far as the allowance is concerned. */
export interface Attempt {
  /** False only where the contract says that nothing was consumed (Quota rules, 3: 401 and 403). */
  readonly counted: boolean;
  /** `undefined` where the answer did not report it. */
  readonly minuteRemaining: number | undefined;
  readonly dayRemaining: number | undefined;
  readonly sentAt: UpstreamInstant;
  readonly receivedAt: UpstreamInstant;
}

/** The state of one allowance. */
export interface AllowanceWindow {
  /** The reported number, less every attempt since; `undefined` where nothing is known of this window. */
  readonly remaining: number | undefined;
  /** Granted and not yet attempted. */
  readonly reserved: number;
  /** The highest number seen at the start of a window: the size of the allowance as far as we know. */
  readonly size: number | undefined;
  readonly resetsAt: UpstreamInstant;
}

/** One operator's use of history's share today. */
export interface PastUse {
  /** Made today, and reserved. */
  readonly requests: number;
  /** When the operator last asked for one, granted or not. */
  readonly askedAt: UpstreamInstant;
}

export interface LedgerState {
  readonly minute: AllowanceWindow;
  readonly day: AllowanceWindow;
  /** Our attempts since midnight UTC that counted, crashes included. */
  readonly spentToday: number;
  readonly spentOnHistoryToday: number;
  /** By operator, as far as is known: a crash forgets for whom the requests were that it left open. */
  readonly historyUses: ReadonlyMap<string, PastUse>;
  readonly pausedUntil: UpstreamInstant | undefined;
  /** While the day has nothing left for scheduled refreshes: when one request checks that, or when the day ends. */
  readonly usedUpUntil?: UpstreamInstant | undefined;
  readonly refusedKey?: RefusedKey | undefined;
}

/**
 * The account's two allowances, shared by all requests to the upstream. Requests that were granted but never settled (because
 * of a crash) count as spent.
 */
export interface Ledger {
  /** Set where there is no allowance at all; one that is not known yet is limited. */
  readonly isUnlimited?: boolean;
  /**
   * Atomic: of two callers that request the last one, one is refused.
   * @param past of `history`; without it nothing is kept for other operators and live views
   */
  reserve(requests: number, spending: Spending, now: UpstreamInstant, past?: PastTerms): Promise<Reserved>;
  /** Records one attempted request of the reservation. */
  attempted(reservation: Reservation, attempt: Attempt): Promise<void>;
  /** Ends the reservation and gives back what was not attempted. */
  release(reservation: Reservation): Promise<void>;
  /** Grants nothing until then; never shortened by a later call. */
  pauseUntil(until: UpstreamInstant, reason: PauseReason): Promise<void>;
  /** Lets the next request check a used-up day now, instead of an hour after the last report. */
  checkDay(now: UpstreamInstant): Promise<void>;
  /** Keeps over restarts which key was refused. @param refused `undefined`: the key was accepted */
  keepRefusedKey(refused: RefusedKey | undefined): Promise<void>;
  state(now: UpstreamInstant): Promise<LedgerState>;
}
