import 'server-only';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** Two estimates of the upstream's clock that differ by less count as equal. */
export const CLOCK_STEP_MS = 2 * SECOND_MS;

/**
 * - `scheduled`: the paced refresh of an area with viewers; leaves the reserve untouched.
 * - `first-view`: the first read of an area without a snapshot; may use half of the reserve.
 * - `history`: leaves the reserve and live's need of the minute, and has a share of the day.
 */
export type Spending = 'scheduled' | 'first-view' | 'history';

export interface PastTerms {
  readonly operator: string;
  /** Whether others may still want history's share of the day. */
  readonly hasOtherOperators: boolean;
  readonly livePerS: number;
}

export interface Reservation {
  readonly id: number;
  readonly spending: Spending;
  /** The granted requests, at least 1; a probe has fewer than were requested. */
  readonly requests: number;
}

export type Refused = { readonly kind: 'refused' } & (
  | { readonly why: 'paused'; readonly until: UpstreamInstant; readonly reason: PauseReason }
  /** `undefined` where the rest is reserved for requests in flight. */
  | { readonly why: 'minute' | 'day' | 'share'; readonly until: UpstreamInstant | undefined }
  /** The rest of history's share is for others. */
  | { readonly why: 'operator'; readonly until: UpstreamInstant }
  | { readonly why: 'probing'; readonly until: undefined }
  /** The request is not stored, so a crash would lose its count. */
  | { readonly why: 'storage' | 'database'; readonly until: undefined }
);

export type Reserved = { readonly kind: 'granted'; readonly reservation: Reservation } | Refused;

export type PauseReason = Extract<FailureReason, 'allowance_used_up' | 'service_busy' | 'service_unreachable'>;

/** A refused key, known by its hash. */
export interface RefusedKey {
  readonly id: string;
  readonly until: UpstreamInstant;
}

export interface Attempt {
  /** False only where nothing was consumed: by the contract (Quota rules, 3: 401 and 403), or without a connection. */
  readonly counted: boolean;
  readonly minuteRemaining: number | undefined;
  readonly dayRemaining: number | undefined;
  readonly sentAt: UpstreamInstant;
  readonly receivedAt: UpstreamInstant;
}

export interface AllowanceWindow {
  /** `undefined` where nothing is known of this window. */
  readonly remaining: number | undefined;
  readonly reserved: number;
  /** The highest first number of a window. */
  readonly size: number | undefined;
  readonly resetsAt: UpstreamInstant;
}

export interface PastUse {
  /** Requests of today, including reserved ones. */
  readonly requests: number;
  readonly askedAt: UpstreamInstant;
}

export interface LedgerState {
  readonly minute: AllowanceWindow;
  readonly day: AllowanceWindow;
  /** Requests since midnight UTC, including those that crashes left open. */
  readonly spentToday: number;
  readonly spentOnHistoryToday: number;
  /** The use of history by operator. A crash forgets whose its open requests were. */
  readonly historyUses: ReadonlyMap<string, PastUse>;
  readonly pausedUntil: UpstreamInstant | undefined;
  /** When a used-up day is checked or ends; `undefined` where the day has some left. */
  readonly usedUpUntil?: UpstreamInstant | undefined;
  readonly refusedKey?: RefusedKey | undefined;
}

/**
 * The account of upstream requests: it grants requests before they are sent, and learns from answers what is left.
 * Granted requests that a crash left unsettled count as spent. It sends nothing.
 */
export interface Ledger {
  /** Whether there is no allowance at all; an unknown one is limited. */
  readonly isUnlimited?: boolean;
  /**
   * Reserves requests in one step.
   * @param past of `history`; without it nothing is kept for other operators and live views
   */
  reserve(requests: number, spending: Spending, now: UpstreamInstant, past?: PastTerms): Promise<Reserved>;
  attempted(reservation: Reservation, attempt: Attempt): Promise<void>;
  release(reservation: Reservation): Promise<void>;
  /** Pauses requests. A later call never shortens the pause. */
  pauseUntil(until: UpstreamInstant, reason: PauseReason): Promise<void>;
  /** Lets a used-up day be checked at once. */
  checkDay(now: UpstreamInstant): Promise<void>;
  /** Keeps a refused key over restarts. @param refused `undefined`: the key was accepted */
  keepRefusedKey(refused: RefusedKey | undefined): Promise<void>;
  state(now: UpstreamInstant): Promise<LedgerState>;
}
