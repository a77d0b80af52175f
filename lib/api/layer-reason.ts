import { z } from 'zod';
import type { LayerState } from './layer-state.ts';

/** What is known of the end of a reason; `until` is the time that an answer gives beside it. */
type ReasonEnd =
  /** It is over at `until`. */
  | 'at-until'
  /** It is tried again at `until`, and may go on. */
  | 'retried-at-until'
  /** Not before somebody changes something: a key, an approval, Lookout itself, what is to be loaded. */
  | 'by-change'
  /** The next refresh that goes well ends it. */
  | 'next-refresh'
  | 'never';

/** What a live layer is called, with and without records to show: from before, or from elsewhere in the view. */
interface StateMade {
  readonly withRecords: LayerState;
  readonly without: LayerState;
}

/**
 * What a load of the past does with a part that meets it: asks again (`retry`), asks again and in halves where that does not
 * help (`retry-halved`), waits until the end (`pause`), or gives the rest of the box up (`give-up`).
 */
type LoadReaction = 'retry' | 'retry-halved' | 'pause' | 'give-up';

interface Reason {
  readonly ends: ReasonEnd;
}

interface LiveReasonEntry extends Reason {
  /** What an operator reads of a live layer, as a part of a sentence. */
  readonly live: string;
  readonly state: StateMade;
}

interface PastReasonEntry extends Reason {
  /** What an operator reads of a replay, as a part of a sentence. */
  readonly past: string;
}

interface FailureEntry extends LiveReasonEntry, PastReasonEntry {
  readonly load: LoadReaction;
}

interface LiveGapEntry extends LiveReasonEntry {
  /** What is missing, in a few words. */
  readonly missing: string;
}

/** Where the same can be said of now and of the past. */
function either<Text extends string>(text: Text): { readonly live: Text; readonly past: Text } {
  return { live: text, past: text };
}

const AGES_ON = { withRecords: 'stale', without: 'failed' } as const;
const FAILED = { withRecords: 'failed', without: 'failed' } as const;
const DENIED = { withRecords: 'denied', without: 'denied' } as const;
const LIMITED = { withRecords: 'limited', without: 'limited' } as const;
const IN_ORDER = { withRecords: 'fresh', without: 'waiting' } as const;

/** Trouble of the service or of the way to it. */
const PASSING = { state: AGES_ON, load: 'retry', ends: 'retried-at-until' } as const;

/** A request brought nothing: it was refused, it failed, or it was not made because it would be refused. */
export const FAILURES = {
  key_refused: { ...either('key refused by the service'), state: FAILED, load: 'give-up', ends: 'by-change' },
  layer_not_approved: {
    live: 'this account has no live access to this layer',
    past: 'this account has no access to this layer’s history',
    state: DENIED,
    load: 'give-up',
    ends: 'retried-at-until',
  },
  allowance_used_up: {
    ...either('paused by the account’s allowance'),
    state: LIMITED,
    load: 'pause',
    ends: 'at-until',
  },
  service_busy: { ...either('service busy'), ...PASSING, load: 'retry-halved' },
  service_unreachable: { ...either('no answer from the service'), ...PASSING },
  service_timeout: { ...either('no timely answer from the service'), ...PASSING },
  answer_unreadable: { ...either('unreadable answer from the service'), ...PASSING },
  answer_too_large: { ...either('oversized answer from the service'), ...PASSING },
  redirected: { ...either('redirect from the service, not followed'), ...PASSING },
  request_rejected: {
    ...either('defective request from Lookout, rejected by the service'),
    state: FAILED,
    load: 'give-up',
    ends: 'by-change',
  },
  /** Only a request for the past meets it. It stands here since a failure is one type for both, as the client reports it. */
  outside_lookback: { ...either('outside the account’s history'), state: AGES_ON, load: 'give-up', ends: 'never' },
} as const satisfies Record<string, FailureEntry>;

/** Why a live picture is not everything, although no request failed. */
export const LIVE_GAPS = {
  pages_endless: {
    live: 'the service’s pages did not end; what was read is shown',
    missing: 'not every page was read',
    state: IN_ORDER,
    ends: 'next-refresh',
  },
  pages_interrupted: {
    live: 'not every page of the answer could be read',
    missing: 'not every page was read',
    state: IN_ORDER,
    ends: 'next-refresh',
  },
  pages_pending: {
    live: 'further pages are still being read',
    missing: 'further pages are still being read',
    state: IN_ORDER,
    ends: 'next-refresh',
  },
  not_read_yet: {
    live: 'not read yet',
    missing: 'part of this view has not been read',
    state: IN_ORDER,
    ends: 'next-refresh',
  },
} as const satisfies Record<string, LiveGapEntry>;

/** Why a window of the past is not everything, although no request failed. */
const PAST_GAPS = {
  too_dense: { past: 'more positions in one second and place than the service returns', ends: 'never' },
  not_asked: { past: 'not requested: the quoted number of requests was reached', ends: 'by-change' },
} as const satisfies Record<string, PastReasonEntry>;

/** What the page itself leaves out of a replay. It stands in no answer. */
const PAGE_GAPS = {
  no_room: { past: 'more positions than this page can store', ends: 'by-change' },
} as const satisfies Record<string, PastReasonEntry>;

/** Why a live layer, or a part of it, is not what was hoped for. */
export const LIVE_REASONS = { ...FAILURES, ...LIVE_GAPS };
/** Why a window of the past, or a part of it, is not what was hoped for. */
export const PAST_REASONS = { ...FAILURES, ...PAST_GAPS };
export const REPLAY_REASONS = { ...PAST_REASONS, ...PAGE_GAPS };

export type FailureReason = keyof typeof FAILURES;
export type LiveReason = keyof typeof LIVE_REASONS;
export type PastReason = keyof typeof PAST_REASONS;
export type ReplayReason = keyof typeof REPLAY_REASONS;

/** Whether a reason says what is missing; any other says why the layer is not refreshed. */
export function isLiveGap(reason: LiveReason): reason is keyof typeof LIVE_GAPS {
  return reason in LIVE_GAPS;
}

export const failureReasonSchema = codesOf<FailureReason>(FAILURES);
export const liveReasonSchema = codesOf<LiveReason>(LIVE_REASONS);
export const pastReasonSchema = codesOf<PastReason>(PAST_REASONS);

function codesOf<Code extends string>(table: Readonly<Record<Code, Reason>>) {
  return z.enum(Object.keys(table) as Code[]);
}
