import { durationText } from '#lib/model/duration-text.ts';
import type { Layer } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import {
  type ALARM_ENDS,
  type ALARM_STATES,
  type AlarmKind,
  FLIGHT_NOT_RECEIVED,
  type FlightWatched,
  isOfRule,
  isSuspension,
  RULE_ALARMS,
  type UNWATCHED_REASONS,
} from './alarm.ts';
import type { AlarmKindOfRule } from './rule-kinds.ts';

/** Help says it, and each notice, whose reader may know no page of Lookout. */
export const ALARM_NOTICE =
  'Alarms are an aid, never a safety service. They come from received positions alone; no alarm does not mean that nothing is there.';

export const ALARM_KIND_TEXT: Readonly<Record<AlarmKind, string>> = {
  ...(Object.fromEntries(Array.from(RULE_ALARMS, ([kind, { text }]) => [kind, text])) as Record<
    AlarmKindOfRule,
    string
  >),
  too_many: 'Rule suspended: too many alarms to list',
  rule_failed: 'Rule suspended: it failed',
  flight_not_received: 'Expected flight not received',
};

type AlarmEnd = (typeof ALARM_ENDS)[number];

/** Why a zone was not watched for alarms. */
export const UNWATCHED_TEXT: Readonly<Record<(typeof UNWATCHED_REASONS)[number], string>> = {
  allowance: 'the allowance does not suffice',
  upstream: 'the service does not answer',
  capped: 'the service sends only a part',
  stopped: 'Lookout was stopped',
  no_writer: 'no server sends requests',
  watch_failed: 'Lookout cannot evaluate it, and its log says why',
  receivers_lost: 'all receivers were down',
  receivers_partly: 'some receivers were down or heard little',
  not_equipped: 'no receiver for this layer',
};

const END_TEXT: Readonly<Record<AlarmEnd, string>> = {
  left: 'left the zone',
  lost: 'no longer received',
  reference_gone: 'the reference is gone; it may have been renumbered',
  hours_over: 'the hours of the zone are over',
  rule_changed: 'the rule was changed or removed',
  zone_removed: 'the zone was removed',
  resumed: 'the rule decides again',
  permit_over: 'the permit is over',
};

interface Subject {
  readonly layer: Layer;
  readonly track: string | null;
  readonly other: { readonly layer: Layer; readonly ref: string } | null;
}

export function subjectText({ layer, track, other }: Subject): string {
  const kind = layer === 'rid' ? 'drone' : 'aircraft';
  if (track === null) return layer === 'rid' ? 'Drones' : 'Aircraft';
  const second = other ? ` and ${other.layer === 'rid' ? 'drone' : 'aircraft'} ${shortReference(other.ref)}` : '';
  return `${kind === 'drone' ? 'Drone' : 'Aircraft'} ${shortReference(track)}${second}`;
}

/** The kind of an alarm with what it is about, such as `Drone appeared inside`. */
export function alarmTitle({
  layer,
  track,
  kind,
}: Pick<Subject, 'layer' | 'track'> & { readonly kind: AlarmKind }): string {
  const text = ALARM_KIND_TEXT[kind];
  if (!isOfRule(kind)) return text;
  const subject = layer === 'adsb' ? 'Aircraft' : track === null ? 'Drones' : 'Drone';
  return `${subject} ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** An alarm in one line, such as `Drone 18C62 in Runway 14/32`. */
export function alarmHeadline(
  alarm: Subject & { readonly kind: AlarmKind; readonly zone: { readonly name: string } },
): string {
  if (isSuspension(alarm.kind)) return `Rule of ${alarm.zone.name} suspended`;
  if (alarm.kind === FLIGHT_NOT_RECEIVED) return `Expected flight not received in ${alarm.zone.name}`;
  return `${subjectText(alarm)} ${RULE_ALARMS.get(alarm.kind)?.relation ?? 'in'} ${alarm.zone.name}`;
}

interface State {
  readonly state: (typeof ALARM_STATES)[number];
  readonly unknown_since: string | null;
  readonly ended_at: string | null;
  readonly ended: AlarmEnd | null;
}

/** @param timeText of an RFC 3339 timestamp */
export function alarmStateText(
  { state, unknown_since, ended_at, ended }: State,
  timeText: (text: string | null) => string,
): string {
  switch (state) {
    case 'open':
      return 'Open';
    case 'unknown':
      return `Lost since ${timeText(unknown_since)}: not watched`;
    case 'ended':
      return `Ended ${timeText(ended_at)}: ${endText(ended)}`;
  }
}

export function endText(ended: AlarmEnd | null): string {
  return ended === null ? 'reason not stated' : END_TEXT[ended];
}

interface Note {
  readonly kind: 'acknowledged' | 'closed' | 'permitted';
  readonly by: string;
  readonly at: string;
  readonly until: string | null;
  readonly as: string | null;
  readonly comment: string;
}

/** An operator’s answer to an alarm. @param timeText of an RFC 3339 timestamp */
export function noteText(
  { kind, by, at, until, as, comment }: Note,
  timeText: (text: string | null) => string,
): string {
  // Without sign-in there are no names.
  const byAt = `by ${by === '' ? 'an operator' : by} at ${timeText(at)}`;
  const said = comment === '' ? '' : `: “${comment}”`;
  if (kind === 'permitted') return `Permitted ${byAt}, until ${timeText(until)}${said}`;
  if (kind === 'closed') return `Closed as ${as} ${byAt}${said}`;
  return `Acknowledged ${byAt}, until ${until === null ? 'the alarm ends' : timeText(until)}${said}`;
}

interface Tagged {
  readonly simulated: boolean;
  readonly test: boolean;
  readonly expected: boolean;
  readonly permit: { readonly name: string; readonly until: string } | null;
  readonly watched: FlightWatched | null;
  readonly height_unknown: boolean;
  readonly found_later: number | null;
  readonly count: number;
  readonly kind: AlarmKind;
}

/** `Watched 62% of it; the rest not: all receivers were down`. It rounds down: 100% is all of it. */
export function flightWatchedText({ watched_s, of_s, reason }: FlightWatched): string {
  const percent = Math.floor((100 * watched_s) / of_s);
  const rest = watched_s === of_s ? '' : `; the rest not${reason === null ? '' : `: ${UNWATCHED_TEXT[reason]}`}`;
  return `Watched ${percent === 0 && watched_s > 0 ? 'less than 1' : percent}% of it${rest}`;
}

/** @param timeText of an RFC 3339 timestamp */
export function tagTexts(alarm: Tagged, timeText: (text: string) => string): readonly string[] {
  const { permit, watched } = alarm;
  return [
    alarm.simulated ? 'SIM' : [],
    alarm.test ? 'TEST' : [],
    alarm.expected ? `Permitted${permit ? `: ${permit.name}, until ${timeText(permit.until)}` : ''}` : [],
    watched ? flightWatchedText(watched) : [],
    alarm.height_unknown ? 'Height unknown' : [],
    alarm.found_later === null ? [] : `Found ${durationText(alarm.found_later * 1000)} later`,
    alarm.kind === 'too_many' ? `${alarm.count} or more` : [],
    alarm.count > 1 && !isSuspension(alarm.kind) ? `${alarm.count} times` : [],
  ].flat();
}
