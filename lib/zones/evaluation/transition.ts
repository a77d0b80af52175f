import type { Layer, Position } from '#lib/model/position.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { ALARM_ENDS, AlarmKind, WatchedStretch } from '../alarm.ts';
import type { Permit } from '../permit.ts';
import type { Rule } from '../rule.ts';
import type { Hours, Vertical, ZoneShape } from '../zone.ts';

type AlarmEnd = (typeof ALARM_ENDS)[number];

/** A rule as stored: with its id. */
export type WatchedRule = Rule & { readonly id: string };

/** The part of a zone that the evaluation reads. */
export interface WatchedZone {
  readonly id: string;
  readonly revision: number;
  readonly shape: ZoneShape;
  readonly vertical: Vertical;
  readonly hours: Hours;
  readonly rules: readonly WatchedRule[];
  readonly permits: readonly Permit[];
}

export interface Observation {
  readonly layer: Layer;
  readonly position: Position;
}

/** How far a zone's layer was read between two instants. Time without a note was not watched. */
export interface WatchedNote {
  readonly zoneId: string;
  readonly layer: Layer;
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
  readonly state: WatchedStretch['state'];
  readonly reason: WatchedStretch['reason'];
}

/**
 * A change of one alarm. `opened` and `reopened` are announced unless `expected`; a reopened alarm's count is one more.
 * `unknown` and `known` follow gaps of watching and are shown, not announced.
 */
export type TransitionType = 'opened' | 'reopened' | 'unknown' | 'known' | 'ended';

export interface Transition {
  readonly type: TransitionType;
  /** The alarm's identity: a pure function of rule, layer, references and the observed time of opening. */
  readonly key: string;
  readonly zone: string;
  /** Of the zone as it was evaluated. */
  readonly revision: number;
  readonly rule: string;
  readonly layer: Layer;
  /** `undefined` for `nothing_received`. */
  readonly ref: string | undefined;
  /** The second track of `closer`. */
  readonly other: { readonly layer: Layer; readonly ref: string } | undefined;
  readonly kind: AlarmKind;
  /**
   * Observed time of the deciding position. For `unknown`: since when. For `ended`: of the first position outside, of the last
   * position received (`lost`, `reference_gone`), or of the end of the hours.
   */
  readonly at: UpstreamInstant;
  /** Observed time of opening: the same in every transition of an alarm. */
  readonly openedAt: UpstreamInstant;
  /** 1, and one more after each `reopened`. */
  readonly count: number;
  /** Why, of `ended`. */
  readonly end: AlarmEnd | undefined;
  /** Why the zone was not watched, of `unknown`. */
  readonly reason: WatchedNote['reason'];
  /** The positions that decided, oldest first. Empty where no position decided. */
  readonly evidence: readonly Position[];
  /** The zone's height field was null in a deciding position, and the zone counts that as "height unknown". */
  readonly heightUnknown: boolean;
  readonly simulated: boolean;
  readonly test: boolean;
  /** A permit covers it. */
  readonly expected: boolean;
  /** Key of the alarm of the same rule whose reference fell silent near here shortly before. References rotate. */
  readonly perhapsSameAs: string | undefined;
  /** `history`: found when a stretch that was not watched was read afterwards. */
  readonly found: 'live' | 'history';
}

/** One stored row of the state. */
export interface StateRow {
  /** Unique within the state. */
  readonly key: string;
  /** JSON text; `undefined` deletes the row. */
  readonly value: string | undefined;
}
