import type { Alarm, AlarmNote } from '#lib/api/watching/alarms.ts';
import type { LostLayer, UnwatchedAnswer, Zone } from '#lib/api/watching/zones.ts';
import type { AlarmStage } from '#lib/client/alarms/alarm-book.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { type ClockZone, clockText, dateText, dateTimeText, recentTimeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import type { WatchedStretch } from '#lib/zones/alarm.ts';
import { alarmPlace, heightText, placeText, raisedAt } from '#lib/zones/alarm-place.ts';
import { alarmHeadline, alarmStateText, noteText } from '#lib/zones/alarm-words.ts';
import { isReceptionReason } from '#lib/zones/stretches/watched-reception.ts';
import { REASON_TEXT } from '../zones/zone-text.ts';

export const STAGE_TEXT: Readonly<Record<AlarmStage, string>> = {
  new: 'New',
  acknowledged: 'Acknowledged',
  closed: 'Closed',
};

export const CLOSED_AS_TEXT = { handled: 'Handled', expected: 'Expected', nuisance: 'Nuisance' } as const;

export function stateText(alarm: Alarm, zone: ClockZone): string {
  return alarmStateText(alarm, (text) => timeText(text, zone));
}

/** How high and where an alarm was raised, as its notices say it too. @param zone `undefined` while it is not known */
export function raisedTexts(
  alarm: Pick<Alarm, 'track' | 'evidence'>,
  zone: Pick<Zone, 'shape' | 'landmark'> | undefined,
  units: UnitSystem,
): readonly string[] {
  const record = raisedAt(alarm);
  if (!record) return [];
  return [heightText(record, units), ...(zone ? [placeText(alarmPlace(record, zone), units)] : [])];
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

/** The answers of all operators in order of time, with an acknowledgement of an earlier alarm that covers this one. */
export function answersTo({ acknowledged, notes }: Alarm): readonly AlarmNote[] {
  const isOwn = acknowledged === null || notes.some(({ kind }) => kind === 'acknowledged');
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
  const why = reason === null ? '' : `: ${REASON_TEXT[reason]}`;
  const how = state === 'partly' ? 'partly watched' : 'not watched';
  return `${zone.name} ${how} ${spanText(from, to, clock)}${why}`;
}

export function lostText({ layer, from, to, reason }: LostLayer, clock: ClockZone): string {
  if (isReceptionReason(reason))
    return `${LAYER_NAME[layer]}: ${REASON_TEXT[reason]} ${spanText(from, to, clock)}, so no zone was watched`;
  const why = reason === null ? '' : ` (${REASON_TEXT[reason]})`;
  return `${LAYER_NAME[layer]}: not read for any zone ${spanText(from, to, clock)}${why}`;
}

/** The gaps in a record of watching; `undefined` if it is complete. @param start of its window */
export function unrecordedText({ zones, since }: UnwatchedAnswer, start: string, clock: ClockZone): string | undefined {
  if (zones === 0)
    return 'No zone was watched in this span. Without a zone, Lookout does not record whether a layer was read.';
  const [complete, wanted] = [parseInstant(since), parseInstant(start)];
  if (complete === undefined || wanted === undefined || complete <= wanted) return undefined;
  return `The record of watching is too long: it begins ${dateTimeText(complete, clock)} here. Choose a shorter span.`;
}

/** A stretch, such as `2026-11-27 08:02–12:40Z`, with a second date on another day. */
export function openText({ from, to }: Pick<WatchedStretch, 'from' | 'to'>, clock: ClockZone): string {
  const [start, end] = [parseInstant(from), parseInstant(to)];
  if (start === undefined || end === undefined) return `${from}–${to}`;
  const minute = (at: UpstreamInstant) => clockText(at, clock).replace(/:\d\d(?=Z| )/, '');
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

function timeText(text: string | null, zone: ClockZone): string {
  const at = text === null ? undefined : parseInstant(text);
  return at === undefined ? 'a time that is not stated' : clockText(at, zone);
}
