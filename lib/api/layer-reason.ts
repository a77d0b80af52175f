import * as z from 'zod/mini';
import type { Reception } from '../model/reception.ts';
import type { LayerState } from './layer-state.ts';

/** `until` is the time that an answer reports with the reason. */
type ReasonEnd =
  /** It ends then, or one request checks whether it has ended. */
  | 'at-until'
  /** It may fail again. */
  | 'retried-at-until'
  /** After a change of the key, of an approval, of Lookout itself, or of what is to be loaded. */
  | 'by-change'
  | 'next-refresh'
  | 'never';

/** The states with and without records to show. */
interface StateMade {
  readonly withRecords: LayerState;
  readonly without: LayerState;
}

/** How a load reacts to a part that fails for this reason. */
type LoadReaction =
  | 'retry'
  /** Retries the part, then its halves. */
  | 'retry-halved'
  /** Pauses the load until the reason ends. */
  | 'pause'
  /** Pauses the load for some minutes. */
  | 'wait'
  /** Gives up the rest of the box. */
  | 'give-up';

interface Reason {
  readonly ends: ReasonEnd;
}

interface LiveReasonEntry extends Reason {
  readonly live: string;
  readonly state: StateMade;
}

interface PastReasonEntry extends Reason {
  readonly past: string;
}

interface FailureEntry extends LiveReasonEntry, PastReasonEntry {
  readonly load: LoadReaction;
}

interface LiveGapEntry extends LiveReasonEntry {
  /** Says in a few words what is missing. */
  readonly missing: string;
}

/** The text is the same for live and replay. */
function either<Text extends string>(text: Text): { readonly live: Text; readonly past: Text } {
  return { live: text, past: text };
}

const AGES_ON = { withRecords: 'stale', without: 'failed' } as const;
const FAILED = { withRecords: 'failed', without: 'failed' } as const;
const DENIED = { withRecords: 'denied', without: 'denied' } as const;
const LIMITED = { withRecords: 'limited', without: 'limited' } as const;
const UNEQUIPPED = { withRecords: 'stale', without: 'unequipped' } as const;
const IN_ORDER = { withRecords: 'fresh', without: 'waiting' } as const;

const PASSING = { state: AGES_ON, load: 'retry', ends: 'retried-at-until' } as const;

/** A request was rejected, failed, or was not sent because it would be rejected. */
export const FAILURES = {
  key_refused: { ...either('key refused by the service'), state: FAILED, load: 'give-up', ends: 'retried-at-until' },
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
  /** It limits only history requests; see `outside_lookback`. */
  share_used_up: {
    ...either('your share of today’s requests for the past is used up; the rest is kept for other operators'),
    state: LIMITED,
    load: 'give-up',
    ends: 'at-until',
  },
  service_busy: { ...either('service busy'), ...PASSING, load: 'retry-halved' },
  /** Also another program's answer: a proxy, a portal, a redirect. Windows may be too dense for it. */
  service_unreachable: { ...either('no answer from the service'), ...PASSING, load: 'retry-halved' },
  service_timeout: { ...either('no timely answer from the service'), ...PASSING },
  answer_unreadable: { ...either('unreadable answer from the service'), ...PASSING },
  answer_too_large: { ...either('oversized answer from the service'), ...PASSING },
  request_rejected: {
    ...either('defective request from Lookout, rejected by the service'),
    state: FAILED,
    load: 'give-up',
    ends: 'by-change',
  },
  storage_failed: {
    ...either('full or failing disk of Lookout’s server, so nothing is requested'),
    state: AGES_ON,
    load: 'give-up',
    ends: 'retried-at-until',
  },
  database_lost: {
    ...either('the database of Lookout does not answer, so nothing is requested'),
    state: AGES_ON,
    load: 'wait',
    ends: 'retried-at-until',
  },
  no_writer: {
    ...either('none of Lookout’s servers sends requests at present; another one takes over within seconds'),
    state: AGES_ON,
    load: 'retry',
    ends: 'retried-at-until',
  },
  /** Only history requests. The client has one type of failure for both modes. */
  outside_lookback: { ...either('outside the account’s history'), state: AGES_ON, load: 'give-up', ends: 'never' },
} as const satisfies Record<string, FailureEntry>;

/** Incomplete although no request failed. */
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
  waits_its_turn: {
    live: 'you opened more new areas than your share allows',
    missing: 'part of this view waits for your share of the allowance',
    state: IN_ORDER,
    ends: 'at-until',
  },
} as const satisfies Record<string, LiveGapEntry>;

interface ReceptionEntry extends LiveGapEntry, PastReasonEntry {
  /** The text that fits into a chip. */
  readonly short: (counts: ReceiverCounts) => string;
}

interface ReceiverCounts {
  readonly receivers: number;
  readonly receiving: number;
  /** Of those that receive. */
  readonly deaf?: number | undefined;
}

/** As the upstream reports its receivers. The reads go on, and the records age. */
export const RECEPTIONS = {
  receivers_lost: {
    live: 'no receiver',
    past: 'all receivers were down',
    missing: 'no receiver in part of this view',
    short: () => 'no receiver',
    state: AGES_ON,
    ends: 'next-refresh',
  },
  receivers_partly: {
    live: 'some receivers are down or hear little',
    past: 'some receivers were down or heard little',
    missing: 'some receivers are down or hear little',
    short: ({ receivers, receiving, deaf = 0 }) =>
      receiving < receivers ? `${receivers - receiving} of ${receivers} down` : `${deaf} of ${receivers} deaf`,
    state: IN_ORDER,
    ends: 'next-refresh',
  },
  not_equipped: {
    live: 'no receiver for this layer',
    past: 'there was no receiver for this layer',
    missing: 'no receiver for part of this view',
    short: () => 'no receiver',
    state: UNEQUIPPED,
    ends: 'by-change',
  },
} as const satisfies Record<string, ReceptionEntry>;

export type LayerReceptionReason = keyof typeof RECEPTIONS;

/** `undefined`: nothing is missing. */
export const REASON_OF_RECEPTION = {
  ok: undefined,
  partly: 'receivers_partly',
  lost: 'receivers_lost',
  none: 'not_equipped',
} as const satisfies Record<Reception['state'], LayerReceptionReason | undefined>;

export function isReception(reason: string): reason is LayerReceptionReason {
  return reason in RECEPTIONS;
}

const COUNTED = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** `one of three receivers is down, one hears far less than usual` */
export function downText({ receivers, receiving, deaf = 0 }: ReceiverCounts): string {
  const counted = (count: number) => COUNTED[count] ?? String(count);
  const down = receivers - receiving;
  const texts = [
    { count: down, text: down === 1 ? 'is down' : 'are down' },
    { count: deaf, text: `${deaf === 1 ? 'hears' : 'hear'} far less than usual` },
  ]
    .filter(({ count }) => count > 0)
    .map(({ count, text }, index) =>
      index === 0 ? `${counted(count)} of ${counted(receivers)} receivers ${text}` : `${counted(count)} ${text}`,
    );
  return texts.length === 0 ? RECEPTIONS.receivers_partly.live : texts.join(', ');
}

/** Incomplete although no request failed. */
const PAST_GAPS = {
  too_dense: { past: 'more positions in one second and place than the service returns', ends: 'never' },
  not_requested: { past: 'the load reached its limit of requests', ends: 'by-change' },
} as const satisfies Record<string, PastReasonEntry>;

/** Gaps that the page itself finds: no answer has them. */
const PAGE_GAPS = {
  page_full: { past: 'more positions than this page can store', ends: 'by-change' },
} as const satisfies Record<string, PastReasonEntry>;

export const LIVE_REASONS = { ...FAILURES, ...LIVE_GAPS, ...RECEPTIONS };
export const PAST_REASONS = { ...FAILURES, ...PAST_GAPS, ...RECEPTIONS };
export const REPLAY_REASONS = { ...PAST_REASONS, ...PAGE_GAPS };

export type FailureReason = keyof typeof FAILURES;
export type LiveReason = keyof typeof LIVE_REASONS;
export type PastReason = keyof typeof PAST_REASONS;
export type ReplayReason = keyof typeof REPLAY_REASONS;

/** Others say why the layer is not refreshed. */
export function isLiveGap(reason: LiveReason): reason is keyof typeof LIVE_GAPS {
  return reason in LIVE_GAPS;
}

export const failureReasonSchema = codesOf<FailureReason>(FAILURES);
export const statusReasonSchema = codesOf<FailureReason | LayerReceptionReason>({ ...FAILURES, ...RECEPTIONS });
export const liveReasonSchema = codesOf<LiveReason>(LIVE_REASONS);
export const pastReasonSchema = codesOf<PastReason>(PAST_REASONS);
export const receptionReasonSchema = codesOf<keyof typeof RECEPTIONS>(RECEPTIONS);

/** Of a planned area without a refused request, in words for operators. */
export const WAITS = {
  /** Its interval has not passed. */
  not_due: 'not yet due',
  /** More refreshes are due than the pace allows. */
  paced: 'due, but it waits so that the allowance lasts',
  /** A new area: shares for first views are used up, or three first views of an operator are being read. */
  waits_its_turn: 'new, and waits for a share of the allowance',
  /** Without an allowance: read at the next change, or after a few seconds. */
  unchanged: 'unchanged since it was read',
} as const;

export type WaitReason = keyof typeof WAITS;
/** Failures of the past are never the reason. */
export type RefreshReason = FailureReason | WaitReason;

export const refreshReasonSchema = z.enum([
  ...(Object.keys(FAILURES) as FailureReason[]),
  ...(Object.keys(WAITS) as WaitReason[]),
]);

export function isWait(reason: RefreshReason): reason is WaitReason {
  return reason in WAITS;
}

function codesOf<Code extends string>(table: Readonly<Record<Code, Reason>>) {
  return z.enum(Object.keys(table) as Code[]);
}
