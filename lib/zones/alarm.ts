import * as z from 'zod/mini';
import { LAYERS } from '#lib/contract/operation.ts';
import { type AlarmKindOfRule, alarmsOfKinds, RULE_KIND_ROWS } from './rule-kinds.ts';

/** `unknown` while the zone is not watched, or its rule failed: a gap ends nothing. */
export const ALARM_STATES = ['open', 'unknown', 'ended'] as const;

/** Silence is `lost`, never `left`. */
export const ALARM_ENDS = [
  'left',
  'lost',
  'reference_gone',
  'hours_over',
  'rule_changed',
  'zone_removed',
  /** Of an alarm about its rule: the rule decides again. */
  'resumed',
  /** Of `flight_not_received`, which is decided after the end. */
  'permit_over',
] as const;

/** The kinds of alarms about a rule that is suspended, not about a track. */
export const SUSPENSIONS = ['too_many', 'rule_failed'] as const;
export type Suspension = (typeof SUSPENSIONS)[number];

export function isSuspension(kind: string): kind is Suspension {
  return SUSPENSIONS.some((one) => one === kind);
}

/** The kind of alarms about a flight that a permit expected. */
export const FLIGHT_NOT_RECEIVED = 'flight_not_received';

export type AlarmKind = AlarmKindOfRule | Suspension | typeof FLIGHT_NOT_RECEIVED;
/** The alarms of all kinds of rules. */
export const RULE_ALARMS = alarmsOfKinds(RULE_KIND_ROWS);
/** All kinds of alarms: those of the kinds of rules, those about a rule, and that about a permit. */
export const ALARM_KINDS: readonly AlarmKind[] = [
  ...(RULE_ALARMS.keys() as Iterable<AlarmKindOfRule>),
  ...SUSPENSIONS,
  FLIGHT_NOT_RECEIVED,
];

/** Whether an alarm of the kind is what a rule raises about tracks: neither about a rule itself, nor about a permit. */
export function isOfRule(kind: string): boolean {
  return RULE_ALARMS.has(kind);
}

export const UNWATCHED_REASONS = [
  'allowance',
  'upstream',
  'capped',
  'stopped',
  'no_writer',
  /** An error of Lookout itself. */
  'watch_failed',
  'receivers_lost',
  'receivers_partly',
  'not_equipped',
] as const;

/** How much of the time of a flight that was not received was watched. The rest says nothing about it. */
export const flightWatchSchema = z.object({
  watched_s: z.number(),
  of_s: z.number(),
  /** Why most of the rest was not watched; null: there is no rest, or no reason is recorded. */
  reason: z.nullable(z.enum(UNWATCHED_REASONS)),
});
export type FlightWatched = z.infer<typeof flightWatchSchema>;

/** The states of a zone in a window. `absent`: not made yet, or removed. */
export const WINDOW_STATES = ['watched', 'partly', 'not_watched', 'outside_hours', 'absent'] as const;
/** `no_rule`: nothing is read for the zone. `no_record`: within its hours, but without a stretch. */
export const WINDOW_REASONS = [...UNWATCHED_REASONS, 'no_rule', 'no_record'] as const;

export const watchedStretchSchema = z.object({
  from: z.string(),
  to: z.string(),
  state: z.enum(['watched', 'partly', 'not_watched']),
  reason: z.nullable(z.enum(UNWATCHED_REASONS)),
});
export type WatchedStretch = z.infer<typeof watchedStretchSchema>;

export const layerStretchSchema = z.object({ layer: z.enum(LAYERS), ...watchedStretchSchema.shape });
export type LayerStretch = z.infer<typeof layerStretchSchema>;

export const trackSchema = z.object({ layer: z.enum(LAYERS), ref: z.string() });
