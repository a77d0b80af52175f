import type { Layer, Position } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { ALARM_ENDS, AlarmKind, WatchedStretch } from '../alarm.ts';
import type { WatchedPermit } from '../permit.ts';
import type { Rule } from '../rule.ts';
import type { Hours, Vertical, ZoneShape } from '../zone.ts';

type AlarmEnd = (typeof ALARM_ENDS)[number];

export type WatchedRule = Rule & { readonly id: string };

export interface WatchedZone {
  readonly id: string;
  /** The operator whose share of the bounds on open alarms the zone uses; '' without sign-in. */
  readonly operator?: string;
  readonly revision: number;
  readonly shape: ZoneShape;
  readonly vertical: Vertical;
  readonly hours: Hours;
  readonly rules: readonly WatchedRule[];
  readonly permits: readonly WatchedPermit[];
}

export interface Observation {
  readonly layer: Layer;
  readonly position: Position;
}

/** Time without a note was not watched. */
export interface WatchedNote {
  readonly zoneId: string;
  readonly layer: Layer;
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
  readonly state: WatchedStretch['state'];
  readonly reason: WatchedStretch['reason'];
}

/**
 * `opened` and `reopened` are announced unless `expected`. `returned` reopens within `BACK_WITHIN_MS`: it is counted, and
 * announced only if the end was. `counted` changes the count of a suspended rule, and is not announced. `permitted`: a
 * permit covers the open alarm now, which is expected from here on.
 */
export type TransitionType =
  | 'opened'
  | 'reopened'
  | 'returned'
  | 'unknown'
  | 'known'
  | 'counted'
  | 'permitted'
  | 'ended';

export interface Transition {
  readonly type: TransitionType;
  /** A function of rule, layer, references and `openedAt`. */
  readonly key: string;
  readonly zone: string;
  readonly revision: number;
  readonly rule: string;
  readonly layer: Layer;
  /** `undefined` for the absence of tracks, and for a suspended rule. */
  readonly ref: string | undefined;
  /** The second track of a pair. */
  readonly other: { readonly layer: Layer; readonly ref: string } | undefined;
  readonly kind: AlarmKind;
  /**
   * Observed time of the deciding position; when ended, of the first outside (`left`), of the last (`lost`,
   * `reference_gone`) or of the end of hours.
   */
  readonly at: UpstreamInstant;
  readonly openedAt: UpstreamInstant;
  /** 1, plus one for each `reopened` and `returned`. Of `too_many`: so many alarms would be open. */
  readonly count: number;
  /** Why the alarm ended; `undefined` unless the type is `ended`. */
  readonly end: AlarmEnd | undefined;
  /** Why it is unknown; `undefined` unless the type is `unknown`. */
  readonly reason: WatchedNote['reason'];
  /** Oldest first; may be empty. */
  readonly evidence: readonly Position[];
  /** Whether a height was unknown, and the zone flags that. */
  readonly heightUnknown: boolean;
  readonly simulated: boolean;
  readonly test: boolean;
  /** Whether a permit covers it. */
  readonly expected: boolean;
  /** Key of an alarm whose reference fell silent near here shortly before. */
  readonly perhapsSameAs: string | undefined;
  /** `history`: an unwatched stretch was read later. */
  readonly found: 'live' | 'history';
}

export interface StateRow {
  readonly key: string;
  /** JSON; `undefined` deletes the row. */
  readonly value: string | undefined;
}
