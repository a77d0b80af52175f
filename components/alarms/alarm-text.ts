import type { Alarm, AlarmNote } from '#lib/api/watching/alarms.ts';
import type { LostLayer, UnwatchedAnswer, ZoneSums } from '#lib/api/watching/zones.ts';
import type { AlarmStage } from '#lib/client/alarms/alarm-book.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import {
  type ClockZone,
  clockText,
  dateText,
  dateTimeText,
  recentMinuteText,
  recentTimeText,
} from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import type { WatchedStretch } from '#lib/zones/alarm.ts';
import { alarmHeadline, alarmStateText, noteText, tagTexts, UNWATCHED_TEXT } from '#lib/zones/alarm-words.ts';
import { isReceptionReason } from '#lib/zones/stretches/watched-reception.ts';

const STAGE_TEXT: Readonly<Record<AlarmStage, string>> = {
  new: 'New',
  acknowledged: 'Acknowledged',
  closed: 'Closed',
};

/** A permitted alarm waits for no operator. */
export function stageText({ expected }: Pick<Alarm, 'expected'>, stage: AlarmStage): string {
  return expected && stage === 'new' ? 'Permitted' : STAGE_TEXT[stage];
}

export const CLOSED_AS_TEXT = { handled: 'Handled', expected: 'Expected', nuisance: 'Nuisance' } as const;

export function stateText(alarm: Alarm, zone: ClockZone): string {
  return alarmStateText(alarm, (text) => timeText(text, zone));
}

/** Its tags, such as `SIM` or `Permitted: Survey flight, police, until 16:00Z`. */
export function alarmTags(alarm: Alarm, now: UpstreamInstant | undefined, zone: ClockZone): readonly string[] {
  return tagTexts(alarm, (text) => {
    const at = parseInstant(text);
    return at === undefined ? text : recentMinuteText(at, now, zone);
  });
}

/** Such as `2 alarms, perhaps one aircraft`. */
export function perhapsOneText(alarms: readonly Alarm[]): string {
  const craft = alarms.every(({ layer }) => layer === 'rid') ? 'drone' : 'aircraft';
  return `${alarms.length} alarms, perhaps one ${craft}`;
}

/** When an alarm opened, such as `12:04:31Z`, with the date on another day. */
export function openedText({ opened_at }: Alarm, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const opened = parseInstant(opened_at);
  return opened === undefined ? opened_at : recentTimeText(opened, now, zone);
}

/** The age of an alarm, such as `3 min ago`. */
export function alarmAgeText({ opened_at }: Alarm, now: UpstreamInstant | undefined): string {
  const opened = parseInstant(opened_at);
  return opened === undefined || now === undefined ? '' : `${durationText(msBetween(opened, now))} ago`;
}

/** A younger alarm has its age alone. */
const RECENT_MS = 10 * MINUTE_MS;

/** When an alarm opened, such as `12 s ago`, or `12:04:31Z, 3 h ago`. */
export function whenText(alarm: Alarm, now: UpstreamInstant | undefined, zone: ClockZone): string {
  const opened = parseInstant(alarm.opened_at);
  if (opened !== undefined && now !== undefined && msBetween(opened, now) < RECENT_MS) return alarmAgeText(alarm, now);
  return [openedText(alarm, now, zone), alarmAgeText(alarm, now)].filter((text) => text !== '').join(', ');
}

/** The answers of all operators in order of time, with an acknowledgement of an earlier alarm that covers this one. */
export function answersTo({ acknowledged, notes }: Alarm): readonly AlarmNote[] {
  const isOwn = acknowledged === null || notes.some(({ kind }) => kind !== 'closed');
  return isOwn ? notes : [{ kind: 'acknowledged', as: null, ...acknowledged }, ...notes];
}

export function noteTexts(alarm: Alarm, zone: ClockZone): readonly string[] {
  return answersTo(alarm).map((note) => noteText(note, (text) => timeText(text, zone)));
}

/** New alarms in a sentence, for screen readers and notifications. */
export function callText(alarms: readonly Alarm[]): string {
  const [first] = alarms;
  if (!first) return '';
  const tags = [first.simulated ? 'Simulated. ' : '', first.test ? 'Test. ' : ''].join('');
  const sentence = `${tags}${alarmHeadline(first)}.`;
  if (alarms.length === 1) return sentence;
  const zones = new Set(alarms.map(({ zone }) => zone.name));
  const where = zones.size === 1 ? `in ${first.zone.name}` : `in ${zones.size} zones`;
  return `${sentence} And ${alarms.length - 1} more ${where}.`;
}

export function unwatchedText(
  { zone, from, to, state, reason }: WatchedStretch & { readonly zone: { readonly name: string } },
  clock: ClockZone,
): string {
  const why = reason === null ? '' : `: ${UNWATCHED_TEXT[reason]}`;
  const how = state === 'partly' ? 'partly watched' : 'not watched';
  return `${zone.name} ${how} ${spanText(from, to, clock)}${why}`;
}

export function lostText({ layer, from, to, reason }: LostLayer, clock: ClockZone): string {
  if (isReceptionReason(reason))
    return `${LAYER_NAME[layer]}: ${UNWATCHED_TEXT[reason]} ${spanText(from, to, clock)}, so no zone was watched`;
  const why = reason === null ? '' : ` (${UNWATCHED_TEXT[reason]})`;
  return `${LAYER_NAME[layer]}: not read for any zone ${spanText(from, to, clock)}${why}`;
}

/** The gaps in a record of watching; `undefined` if it is complete. @param start of its window */
export function unrecordedText({ zones, since }: UnwatchedAnswer, start: string, clock: ClockZone): string | undefined {
  if (zones === 0)
    return 'No zone that you see was watched in this span. Without a zone, Lookout does not record whether a layer was read.';
  const [complete, wanted] = [parseInstant(since), parseInstant(start)];
  if (complete === undefined || wanted === undefined || complete <= wanted) return undefined;
  return `The record of watching is too long: it begins ${dateTimeText(complete, clock)} here. Choose a shorter span.`;
}

const DAY_S = DAY_MS / 1000;
/** Shorter stretches without a record are between making a zone and its first read. */
const FIRST_READ_MAX_S = 60;

/**
 * How long a zone was watched, such as `07:46–08:01Z (15 min of 8 h)`, and where the rest of the window is: the reasons
 * with their sums, and when the zone was made or removed.
 */
export function watchingTexts(
  { made_at, removed_at, from, to, sums }: ZoneSums,
  clock: ClockZone,
): readonly [watched: string, rest: string] {
  const length = sums.reduce((all, { seconds }) => all + seconds, 0);
  const sumOf = (...states: readonly ZoneSums['sums'][number]['state'][]) =>
    sums.filter(({ state }) => states.includes(state)).reduce((all, { seconds }) => all + seconds, 0);
  const [whole, seen] = [sumOf('watched'), sumOf('watched', 'partly')];
  const share = `(${long(seen)} of ${long(length)})`;
  const when = from === null || to === null ? '' : openText({ from, to }, clock, length >= DAY_S);
  const rest = sums.flatMap((sum) => restText(sum) ?? []);
  const made = made_at === null ? [] : `Created ${reportTimeText(made_at, clock)}`;
  const removed = removed_at === null ? [] : `Removed ${reportTimeText(removed_at, clock)}`;
  return [
    seen === 0 ? `Not watched (0 min of ${long(length)})` : `${whole === 0 ? 'Partly ' : ''}${when} ${share}`,
    [made, removed, rest].flat().join('. '),
  ];
}

function restText({ state, reason, seconds }: ZoneSums['sums'][number]): string | undefined {
  const why = reason === null ? 'reason not stated' : WINDOW_REASON_TEXT[reason];
  switch (state) {
    case 'watched':
    case 'absent':
      return undefined;
    case 'partly':
      return `Partly ${long(seconds)}: ${why}`;
    case 'outside_hours':
      return `Outside its hours ${long(seconds)}`;
    case 'not_watched':
      return reason === 'no_record' && seconds < FIRST_READ_MAX_S ? undefined : `${long(seconds)}: ${why}`;
  }
}

function long(seconds: number): string {
  return durationText(Math.round(seconds) * 1000);
}

const WINDOW_REASON_TEXT: Readonly<Record<NonNullable<ZoneSums['sums'][number]['reason']>, string>> = {
  ...UNWATCHED_TEXT,
  no_rule: 'the zone has no rule',
  no_record: 'without a record',
};

/**
 * A stretch, such as `2026-11-27 08:02–12:40Z`, with a second date on another day.
 * @param isDated `false`: `08:02–12:40Z`
 */
export function openText({ from, to }: Pick<WatchedStretch, 'from' | 'to'>, clock: ClockZone, isDated = true): string {
  const [start, end] = [parseInstant(from), parseInstant(to)];
  if (start === undefined || end === undefined) return `${from}–${to}`;
  const minute = (at: UpstreamInstant) => clockText(at, clock).replace(/:\d\d(?=Z| )/, '');
  if (!isDated) return `${minute(start).slice(0, 5)}–${minute(end)}`;
  const isOneDay = dateText(start, clock) === dateText(end, clock);
  return `${dateText(start, clock)} ${minute(start).slice(0, 5)}–${isOneDay ? '' : `${dateText(end, clock)} `}${minute(end)}`;
}

/** A span, such as `from 2026-11-27 12:30:00Z to 12:40:00Z`, with a second date on another day. */
function spanText(from: string, to: string, clock: ClockZone): string {
  const [start, end] = [parseInstant(from), parseInstant(to)];
  if (start === undefined || end === undefined) return `from ${timeText(from, clock)} to ${timeText(to, clock)}`;
  const isOneDay = dateText(start, clock) === dateText(end, clock);
  return `from ${dateTimeText(start, clock)} to ${isOneDay ? clockText(end, clock) : dateTimeText(end, clock)}`;
}

/** A moment with its date, such as `2026-11-27 08:02:10Z`. */
export function reportTimeText(text: string | null, clock: ClockZone): string {
  const at = text === null ? undefined : parseInstant(text);
  return at === undefined ? 'not stated' : dateTimeText(at, clock);
}

function timeText(text: string | null, zone: ClockZone): string {
  const at = text === null ? undefined : parseInstant(text);
  return at === undefined ? 'a time that is not stated' : clockText(at, zone);
}
